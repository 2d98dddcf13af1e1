import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { remembering, selected } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'

const waves = [aWave('canary', '1%'), aWave('early', '10%'), aWave('half', '50%')]

/** Carried out and obeyed at once. */
function played(pool: PoolSnapshot, at: number) {
  const decision = decide(pool, at)
  const taken = new Set(selected(decision))
  const members = pool.nodes.map((node) => (taken.has(node.name) ? aNode(node.name).on('new', { at }) : node))
  return { decision, taken: taken.size, pool: remembering({ ...pool, nodes: members }, decision) }
}

function hundred(createdAt: number) {
  return Array.from({ length: 100 }, (_, i) =>
    aNode(`n${i}`)
      .createdAtInstant(createdAt)
      .on('old', { at: noon - 20 * minute }),
  )
}

test('waves have their part of those that are there when they open, also when all nodes came since the rollout began', () => {
  let pool = aPool({ head: 'new', stable: 'old', since: noon - 48 * hour, waves }).with(...hundred(noon - 30 * minute))
  const sizes: number[] = []
  for (let i = 0; i < 4; i++) {
    const next = played(pool, noon + i * minute)
    sizes.push(next.taken)
    pool = next.pool
  }

  expect(sizes).toEqual([1, 10, 50, 39])
})

test('an open wave keeps its size when nodes come and go, and the status says what it is', () => {
  const pool = aPool({ head: 'new', stable: 'old', waves: [aWave('tenth', '10%', { soak: hour })], maxUnavailable: 1 }).with(
    ...hundred(noon - 48 * hour),
  )
  const { decision, pool: begun } = played(pool, noon)
  const many = Array.from({ length: 400 }, (_, i) => aNode(`late-${i}`).on('old'))
  const wanted = new Map(
    [...begun.nodes, ...many].map(({ name }) => [name, { kind: 'config', digest: 'new', disruption: 'restart' } as const]),
  )
  const grown = {
    ...begun,
    policy: { ...begun.policy, maxUnavailable: { percent: 100 } },
    nodes: [...begun.nodes, ...many],
    head: { ...begun.head, wanted },
  }

  expect(decision.status.wave).toEqual({
    index: 1,
    count: 2,
    name: 'tenth',
    opened: ['tenth'],
    sizes: [{ name: 'tenth', nodes: 10 }],
  })
  expect(selected(decide(grown, noon + minute))).toHaveLength(9)
})

test('an open wave that a commit makes a percentage is calculated then, and does not grow when nodes join', () => {
  const counted = aPool({ head: 'new', stable: 'old', waves: [aWave('first', 2, { soak: hour })] }).with(
    ...hundred(noon - 48 * hour),
  )
  const { pool: begun } = played(counted, noon)
  const waves = [aWave('first', '5%', { soak: hour })]
  const changed = played({ ...begun, policy: { ...begun.policy, waves } }, noon + minute)
  const many = Array.from({ length: 400 }, (_, i) => aNode(`late-${i}`).on('old'))
  const grown = aPool({ head: 'new', stable: 'old', waves }).with(...changed.pool.nodes, ...many)

  expect(changed.decision.status.wave).toMatchObject({ opened: ['first'], sizes: [{ name: 'first', nodes: 5 }] })
  expect(changed.taken).toBe(3)
  expect(selected(decide({ ...grown, memory: changed.pool.memory }, noon + 2 * minute))).toEqual([])
})

test('a wave of a selector waits until one of its own nodes was heard from', () => {
  const zones = [aWave('canary', 1), aWave('west', { zone: 'west' }), aWave('rest', '100%')]
  const away = aNode('w')
    .labelled({ zone: 'west' })
    .notReady(noon - hour)
    .assignedTo('new', { at: noon - 20 * minute })
  const pool = aPool({
    head: 'new',
    stable: 'old',
    since: noon - hour,
    waves: zones,
    wave: { index: 2, count: 3, name: 'west' },
  }).with(aNode('c').on('new', { at: noon - 30 * minute }), away, aNode('n').on('old'))
  const { status } = decide(pool, noon)

  expect(status.wave?.name).toBe('west')
  expect(status.conditions[1]).toMatchObject({
    status: 'True',
    reason: 'NoEligibleNode',
    message: expect.stringContaining('no eligible node for new; "w": not Ready') as string,
  })
})

test.each([1, '2%'] as const)(
  'an open wave of half the pool that a commit makes smaller (%s) selects no further node',
  (smaller) => {
    const begun = played(
      aPool({ head: 'new', stable: 'old', waves: [aWave('half', '50%', { soak: hour })], maxUnavailable: 2 }).with(
        ...hundred(noon - 48 * hour),
      ),
      noon,
    )
    const { policy } = begun.pool
    const edited = { ...begun.pool, policy: { ...policy, waves: [aWave('half', smaller, { soak: hour })] } }

    expect(begun.taken).toBe(2)
    expect(selected(decide(begun.pool, noon + minute))).toHaveLength(2)
    expect(selected(decide(edited, noon + minute))).toEqual([])
  },
)

test('a wave of a selector has the size of its own nodes: those that are kept from it count, those of other waves do not', () => {
  const west = { zone: 'west' }
  const labelled = (name: string) => aNode(name).labelled(west).on('old')
  const exposed = (name: string) => labelled(name).on('new', { at: noon - 20 * minute })
  const pool = aPool({
    head: 'new',
    stable: 'old',
    since: noon - hour,
    waves: [aWave('first', 2), aWave('west', west), aWave('rest', '100%')],
    wave: { index: 1, count: 3, name: 'first', opened: ['first'] },
    wants: { broken: { problem: 'no such variable' } },
    maxFailures: 9,
  }).with(
    exposed('done'),
    exposed('done-and-held').held(),
    labelled('west'),
    labelled('held').held(),
    labelled('by-hand').byHand(),
    labelled('leaving').beingDeleted(),
    labelled('broken'),
    aNode('elsewhere').on('old').held(),
    aNode('later').on('old'),
    aNode('latest').on('old'),
  )

  expect(decide(pool, noon).status.wave).toMatchObject({ name: 'west', sizes: [{ name: 'west', nodes: 4 }] })
})

test('a wave that is a percentage has its part of all nodes, also when fewer are left for it', () => {
  const sizes = [{ name: 'most', nodes: 3 }]
  const pool = aPool({
    head: 'new',
    stable: 'old',
    since: noon - hour,
    waves: [aWave('most', '75%'), aWave('half', '50%'), aWave('rest', '100%')],
    wave: { index: 1, count: 3, name: 'most', opened: ['most'], sizes },
  }).with(...['a', 'b', 'c'].map((name) => aNode(name).on('new', { at: noon - 20 * minute })), aNode('d').on('old'))

  expect(decide(pool, noon).status.wave).toMatchObject({ name: 'half', sizes: [...sizes, { name: 'half', nodes: 2 }] })
})

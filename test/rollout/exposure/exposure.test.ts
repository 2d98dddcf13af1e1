import { expect, test } from 'vitest'
import { assessPool } from '../../../src/rollout/assess-pool.ts'
import { decide } from '../../../src/rollout/decide.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { assignments, phases, remembering } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, aYoungNode, nodes } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'

const canary = [aWave('canary', 1, { soak: 10 * minute })]
const old = (...names: string[]) => nodes(...names).map((node) => node.on('old'))
/** `b` superseded `a`, which was on its way from `old`. */
const superseded: PoolOptions = {
  head: 'b',
  stable: 'old',
  waves: canary,
  maxUnavailable: '100%',
  history: [aRollout('a', { startedAt: noon - hour }), aRollout('old', { result: 'Completed', startedAt: noon - 3 * hour })],
}

/** Of each node: what it may get now, and why. */
function exposures(pool: PoolSnapshot): Record<string, string> {
  const { members } = assessPool({ ...pool, memory: decide(pool, noon).status }, noon)
  return Object.fromEntries(members.map(({ node, exposure }) => [node.name, `${exposure.content} ${exposure.because}`]))
}

const inFlight = (name: string) =>
  aNode(name)
    .on('old')
    .assignedTo('a', { at: noon - minute })
    .reporting('Staging', { active: 'old' })

test('a node in flight is left to finish when its commit is superseded: the canary is a sound one', () => {
  const pool = aPool(superseded).with(...['f0', 'f1', 'f2'].map(inFlight), ...old('n0', 'n1'))

  expect(assignments(decide(pool, noon)).map((text) => text.slice(0, 1))).toEqual(['n'])
  expect(exposures(pool)).toMatchObject({ f0: 'none InFlight', f1: 'none InFlight', f2: 'target Superseded' })
})

test('one of twenty nodes whose agents have not even seen the superseded commit gets the new one', () => {
  const members = Array.from({ length: 20 }, (_, i) =>
    aNode(`n${i}`)
      .on('old')
      .assignedTo('a', { at: noon - 5000 }),
  )

  expect(assignments(decide(aPool(superseded).with(...members), noon))).toHaveLength(1)
})

test('a node in flight that comes from another pool is left to finish while the canary soaks', () => {
  const moved = ['m1', 'm2'].map((name) =>
    aNode(name)
      .on('zzz')
      .assignedTo('other', { at: noon - 2 * minute })
      .reporting('Staging', { active: 'zzz' }),
  )
  const pool = aPool({ head: 'new', stable: 'old', since: noon - 2 * minute, maxUnavailable: '50%', waves: canary })

  expect(
    assignments(decide(pool.with(aNode('n0').on('new', { at: noon - minute }), ...old('n1', 'n2'), ...moved), noon)),
  ).toEqual([])
})

const broken = (name: string) =>
  aNode(name)
    .assignedTo('a', { at: noon - 30 * minute })
    .reporting('Failed', { active: 'a' })
    .notReady(noon - 29 * minute)

test('of nodes that a superseded commit broke, the canary wave alone gets the new one, and the others the stable one', () => {
  const pool = aPool({ ...superseded, maxUnavailable: 1 }).with(...['z0', 'z1', 'z2'].map(broken), ...old('n0', 'n1'))
  const given = assignments(decide(pool, noon)).map((text) => text.slice(5))

  expect(given.toSorted()).toEqual(['b', 'old', 'old'])
  expect(Object.values(exposures(pool)).toSorted()).toEqual([
    'none LaterWave',
    'none LaterWave',
    'stable Repair',
    'stable Repair',
    'target OpenWave',
  ])
})

test('a pool that has completed nothing repairs no node outside its open waves', () => {
  const { stable: _, ...unproven } = superseded
  const pool = aPool({ ...unproven, history: [aRollout('a')] }).with(...['z0', 'z1', 'z2'].map(broken))

  expect(assignments(decide(pool, noon))).toHaveLength(1)
})

test('a node whose work on a superseded commit is overdue is repaired with the stable content', () => {
  const hung = aNode('z')
    .assignedTo('a', { at: noon - 30 * minute })
    .reporting('Applying')
  const held = aNode('c').on('b', { at: noon - minute })
  const pool = aPool({ ...superseded, history: [aRollout('b', { startedAt: noon - 5 * minute })] }).with(held, hung, ...old('n0'))

  expect(assignments(decide(pool, noon))).toEqual(['z → old'])
})

test('a node that is broken and stays so gives its place in the wave to a sound one, and only after it had its chance', () => {
  const tried = broken('z').assignedTo('b', { at: noon - 14 * minute })
  const pool = aPool({
    ...superseded,
    maxUnavailable: 2,
    history: [aRollout('b', { startedAt: noon - 20 * minute })],
    wave: { index: 1, count: 2, name: 'canary' },
  }).with(tried, ...old('n0', 'n1'))

  expect(assignments(decide(pool, noon))).toEqual([])
  expect(decide(pool, noon).wakeAt).toBe(noon + minute)
  expect(assignments(decide(pool, noon + minute))).toHaveLength(1)
})

test('a wave tries no more broken nodes in vain than it has places', () => {
  const tried = broken('z0').assignedTo('b', { at: noon - 16 * minute })
  const { stable: _, ...unproven } = superseded
  const pool = aPool({ ...unproven, history: [aRollout('b', { startedAt: noon - 20 * minute })] })

  expect(assignments(decide(pool.with(tried, broken('z1'), aNode('n0')), noon))).toEqual(['n0 → b'])
  expect(assignments(decide(pool.with(tried, broken('z1')), noon))).toEqual([])
})

const brokenBy = (content: string) =>
  aNode('z')
    .on('old')
    .assignedTo(content, { at: noon - 30 * minute })

test.each([
  ['its agent could not restore', brokenBy('a').reporting('Failed')],
  ['no pod runs on', brokenBy('a').reporting('Applied').noting('Failed')],
])('a fix does not fail on a node that %s already, and another one tries it', (_, node) => {
  const pool = aPool({ ...superseded, maxUnavailable: 2 })
  const begun = decide(pool.with(node, ...old('n0', 'n1')), noon)
  const fix = begun.actions.find((action) => action.kind === 'assign')
  const failed = node.assignedBy(fix).reporting('RolledBack', { error: { reason: 'Unhealthy', message: 'still broken' } })
  const next = decide({ ...pool.with(failed, ...old('n0', 'n1')), memory: begun.status }, noon + minute)

  expect(fix).toMatchObject({ node: 'z', digest: 'b', nodeWas: 'Unsound' })
  expect(next.status.conditions).toContainEqual(
    expect.objectContaining({ type: 'Stalled', reason: 'NodesFailed', message: expect.stringContaining('still broken') }),
  )
  expect(assignments(next)).toHaveLength(1)
})

test('a broken node that the new content heals is the evidence that its wave waits for', () => {
  const healed = broken('z')
    .assignedTo('b', { at: noon - 14 * minute })
    .reporting('Applied', { since: noon - 13 * minute })
    .readyAgain(noon - 12 * minute)
  const pool = aPool({ ...superseded, history: [aRollout('b', { startedAt: noon - 20 * minute })] }).with(healed, ...old('n0'))

  expect(decide(pool, noon).status.wave?.name).toBe('rest')
})

test('a young node joins at the stable content, and one that was Ready for long takes its turn', () => {
  const rolling = { head: 'new', stable: 'old', since: noon - minute, waves: canary, maxUnavailable: 1 } as const
  const neverReady = aNode('never').notReady(noon - 24 * hour + 2000)
  const pool = aPool(rolling).with(
    aNode('c').assignedTo('new', { at: noon - minute }),
    aYoungNode('young'),
    aNode('adopted'),
    neverReady,
  )

  expect(exposures(pool)).toEqual({
    c: 'target OpenWave',
    young: 'stable Joining',
    adopted: 'none LaterWave',
    never: 'stable Joining',
  })
})

test('Ready nodes that are labelled into a completed pool are changed within its budget and its windows', () => {
  const adopted = ['p0', 'p1', 'p2'].map((name) => aNode(name))
  const nights = [{ action: 'allow', schedule: '0 2 * * *', duration: hour, timeZone: 'UTC' }] as const
  const completed = { head: 'old', stable: 'old', maxUnavailable: 1 } as const

  expect(assignments(decide(aPool({ ...completed, windows: nights }).with(...adopted, ...old('a')), noon))).toEqual([])
  expect(assignments(decide(aPool(completed).with(...adopted, ...old('a')), noon))).toHaveLength(1)
})

test('a node that is being deleted is no canary, gets nothing, and fails nothing', () => {
  const leaving = aNode('a')
    .assignedTo('new', { at: noon - hour })
    .beingDeleted()
  const pool = aPool({ head: 'new', stable: 'old', since: noon - 2 * hour, waves: canary }).with(leaving, ...old('b', 'c'))
  const decision = decide(pool, noon)

  expect(assignments(decision)).toHaveLength(1)
  expect(phases(decision)).toEqual({ Waiting: 2, Leaving: 1 })
  expect(decision.status.rejected).toEqual([])
})

test('a first wave that is manual opens only when the target is promoted, and no node is changed before', () => {
  const waves = [aWave('all', '100%', { manual: true })]
  const pool = aPool({ head: 'new', stable: 'old', waves }).with(...old('a', 'b'), aYoungNode('young'))
  const decision = decide(pool, noon)

  expect(assignments(decision)).toEqual(['young → old'])
  expect(exposures(pool)).toMatchObject({ a: 'none NoWaveOpen', b: 'none NoWaveOpen' })
  expect(decision.status.wave).toBeUndefined()
  expect(assignments(decide({ ...pool, controls: { promoted: 'new' } }, noon))).toEqual(
    expect.arrayContaining(['a → new', 'b → new', 'young → old']),
  )
})

test('a pool whose first wave waits for a person says how to open it', () => {
  const waves = [aWave('canary', 1, { manual: true }), aWave('rest', '100%')]
  const { status } = decide(aPool({ head: 'new', stable: 'old', waves }).with(...old('a', 'b')), noon)

  expect(status.conditions.map(({ reason }) => reason)).toEqual([
    'WaitingForPromotion',
    'WaitingForPromotion',
    'WaitingForPromotion',
  ])
  expect(status.conditions[0]?.message).toBe(
    '0 of 2 nodes are at new; ' +
      '"canary" opens after: nodewave promote workers (or kubectl annotate --overwrite nwp/workers nodewave.io/promote=new)',
  )
})

test('nodes that blink one after the other during a long soak get no content that is not promoted', () => {
  const waves = [aWave('canary', 1, { soak: 24 * hour }), aWave('rest', '100%', { manual: true })]
  const names = Array.from({ length: 10 }, (_, i) => `n${i}`)
  let pool = aPool({ head: 'new', stable: 'old', since: noon - hour, maxUnavailable: 1, waves }).with(...old(...names))
  const first = decide(pool, noon)
  const [chosen = ''] = assignments(first).map((text) => text.slice(0, 2))
  const proved = aNode(chosen).on('new', { at: noon })
  const leaked: string[] = []
  let now = noon
  for (const blinking of names.filter((name) => name !== chosen)) {
    now += 5 * minute
    const members = names.map((name) => {
      if (name === chosen) return proved
      const [node = aNode(name)] = old(name)
      return name === blinking ? node.notReady(now - 2000) : node
    })
    const decision = decide({ ...remembering(pool, first), nodes: members }, now)
    pool = remembering(pool, decision)
    leaked.push(...assignments(decision))
  }

  expect(leaked).toEqual([])
})

test('nodes that are down for long take no place of a wave that has its nodes, however they use up the budget', () => {
  const down = ['d0', 'd1'].map((name) =>
    aNode(name)
      .on('old')
      .notReady(noon - 5 * hour),
  )
  const soaking = aNode('c').on('new', { at: noon - minute })
  const pool = aPool({ head: 'new', stable: 'old', since: noon - hour, maxUnavailable: 1, waves: canary })

  expect(assignments(decide(pool.with(soaking, ...down, ...old('n0')), noon))).toEqual([])
})

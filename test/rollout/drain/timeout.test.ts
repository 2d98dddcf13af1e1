import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { condition, phases, remembering, verdict } from '../builders/decisions.ts'
import { hour, minute, noon, stamp } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aPod } from '../builders/pods.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'
import { a, b, done, overdue, stuck, upgrade } from './upgrade.ts'

test('an overdue drain that holds goes on trying, and the pool says what blocks it', () => {
  const decision = upgrade({ pods: stuck }, a.drainedFor('new', overdue), b)

  expect(done(decision)).toEqual(['evict a x'])
  expect(phases(decision)).toEqual({ Draining: 1, Waiting: 1 })
  expect(verdict(decision)).toEqual({
    Ready: 'False DrainBlocked',
    Reconciling: 'False DrainBlocked',
    Stalled: 'True DrainBlocked',
  })
  expect(condition(decision, 'Stalled').message).toBe(
    `"a", drained since ${stamp(noon - 15 * minute)}: pod "shop/x" is protected by PodDisruptionBudget "shop", which needs 4 healthy pods and has 4`,
  )
})

test('a drain that begins to block is told of once, as an event', () => {
  const pool = aPool({ stable: 'older', since: noon - minute, disruption: 'drain', pods: stuck }).with(
    a.drainedFor('new', overdue),
    b,
  )
  const first = decide(pool, noon)

  expect(first.events.filter(({ reason }) => reason === 'DrainBlocked')).toMatchObject([
    { on: { kind: 'pool' }, type: 'Warning' },
  ])
  expect(decide(remembering(pool, first), noon + 5_000).events).toEqual([])
})

test('an overdue drain that proceeds is granted with the pods that are left', () => {
  expect(done(upgrade({ pods: stuck, drain: { onTimeout: 'Proceed' } }, a.drainedFor('new', overdue)))).toEqual([
    'assign a new drain',
  ])
})

test('an overdue drain that is skipped is uncordoned, and makes room for the others', () => {
  const drain = { onTimeout: 'Skip' as const }
  const decision = upgrade({ pods: stuck, drain }, a.drainedFor('new', overdue), b)

  expect(decision.actions).toEqual([
    { kind: 'uncordon', node: 'a', lifts: true, mark: { digest: 'new', at: noon, state: 'Skipped' } },
  ])
  expect(phases(decision)).toEqual({ Waiting: 1, Skipped: 1 })
  expect(done(upgrade({ drain }, a.drainedFor('new', { at: noon, state: 'Skipped' }), b))).toEqual(['cordon b Ours'])
})

test('a rollout does not wait for a node from the moment its drain is given up or called off', () => {
  const options = { pods: { a: [aPod('x')] }, drain: { onTimeout: 'Skip' as const } }
  const current = aNode('b').on('new')
  const calledOff = { ...a.drainedFor('new', overdue), unschedulable: false }

  expect(verdict(upgrade(options, a.drainedFor('new', overdue), current)).Ready).toBe('False Uncordoning')
  expect(verdict(upgrade(options, calledOff, current)).Ready).toBe('True Completed')
})

test('a skipped node comes again after another timeout, behind all others', () => {
  const skipped = a.drainedFor('new', { at: noon - 15 * minute, state: 'Skipped' })

  expect(done(upgrade({ drain: { onTimeout: 'Skip' } }, skipped, b))).toEqual(['cordon b Ours'])
  expect(done(upgrade({ drain: { onTimeout: 'Skip' } }, skipped))).toEqual(['cordon a Ours'])
})

test('a skipped canary gives its place to another node, or nothing would ever be proved', () => {
  const options = { waves: [aWave('canary', 1)], drain: { onTimeout: 'Skip' as const } }
  const first = upgrade(options, a, b).actions[0]
  const [canary, other] = first?.kind === 'cordon' && first.node === 'a' ? [a, b] : [b, a]

  expect(done(upgrade(options, canary.drainedFor('new', { at: noon, state: 'Skipped' }), other))).toEqual([
    `cordon ${other.name} Ours`,
  ])
})

test.each([
  { first: a, last: b },
  { first: b, last: a },
])(
  'of two skipped nodes, the one that was skipped first is drained first, whatever its zone and wave: $first.name, $last.name',
  ({ first, last }) => {
    const options = { drain: { onTimeout: 'Skip' as const }, waves: [aWave('early', { rack: '1' })] }
    const wave = { index: 2, count: 2, name: 'rest', opened: ['early', 'rest'] }
    const longAgo = first.drainedFor('new', { at: noon - 30 * minute, state: 'Skipped' }).inZone('zone-b')
    const later = last
      .drainedFor('new', { at: noon - 15 * minute, state: 'Skipped' })
      .inZone('zone-a')
      .labelled({ rack: '1' })

    expect(done(upgrade({ ...options, wave }, longAgo, later))).toEqual([`cordon ${first.name} Ours`])
  },
)

test.each([
  { first: a, last: b },
  { first: b, last: a },
])(
  'a canary that was skipped comes again after a node that was not: $first.name, $last.name',
  ({ first: skipped, last: other }) => {
    const options = { waves: [aWave('canary', 1)], drain: { onTimeout: 'Skip' as const } }
    const canary = skipped.drainedFor('new', { at: noon - 15 * minute, state: 'Skipped' })

    expect(done(upgrade(options, canary, other))).toEqual([`cordon ${other.name} Ours`])
  },
)

test.each([
  { first: a, last: b },
  { first: b, last: a },
])('of two skipped nodes, the canary is the one that was skipped first: $first.name, $last.name', ({ first, last }) => {
  const options = { waves: [aWave('canary', 1)], drain: { onTimeout: 'Skip' as const } }
  const longAgo = first.drainedFor('new', { at: noon - 30 * minute, state: 'Skipped' })
  const later = last.drainedFor('new', { at: noon - 15 * minute, state: 'Skipped' })

  expect(done(upgrade(options, longAgo, later))).toEqual([`cordon ${first.name} Ours`])
})

test.each([
  ['may be drained again', 15 * minute],
  ['is left out for now', 5 * minute],
])('a restored canary whose drain was given up gives its place to a sound node when it %s', (_, ago) => {
  const options = { waves: [aWave('canary', 1)], drain: { onTimeout: 'Skip' as const } }
  const restored = aNode('a')
    .rolledBackFrom('bad')
    .drainedFor('new', { at: noon - ago, state: 'Skipped' })

  expect(done(upgrade(options, restored, b))).toEqual(['cordon b Ours'])
})

test('a restored node whose drain was given up is drained again after all others', () => {
  const restored = aNode('a')
    .rolledBackFrom('bad')
    .drainedFor('new', { at: noon - 15 * minute, state: 'Skipped' })

  expect(done(upgrade({ drain: { onTimeout: 'Skip' } }, restored, b))).toEqual(['cordon b Ours'])
})

test('a node that somebody cordoned, and whose drain was given up, is drained again after another timeout', () => {
  const drainedAgain = (ago: number) => {
    const skipped = a.drainedFor('new', { at: noon - ago, state: 'Skipped' }).cordoned()
    return done(upgrade({ cordoned: 'Change', drain: { onTimeout: 'Skip' } }, skipped))
  }

  expect(drainedAgain(5 * minute)).toEqual([])
  expect(drainedAgain(15 * minute)).toEqual(['cordon a Found'])
})

test('a drain that a clock which has been put back began is stamped again, so that its time ends, and its message stays', () => {
  const options = { stable: 'older', since: noon - minute, disruption: 'drain', pods: stuck } as const
  const ahead = a.drainedFor('new', { at: noon + 24 * hour })
  const pool = aPool({ ...options, drain: { onTimeout: 'Proceed' } }).with(ahead)
  const first = decide(pool, noon)
  const [again] = first.actions
  if (again?.kind !== 'cordon') throw new Error('the mark is not stamped again')
  const marked = { ...remembering(pool, first), nodes: [{ ...a.cordoned(), mark: again.mark }] }
  const soon = decide(marked, noon + 1000)

  expect(done(first)).toEqual(['cordon a Ours', 'evict a x'])
  expect(condition(soon, 'Reconciling').message).toBe(condition(first, 'Reconciling').message)
  expect(done(soon)).toEqual(['evict a x'])
  expect(done(decide(marked, noon + 15 * minute))).toEqual(['assign a new drain'])
})

test('a node whose drain was given up by a clock that was a year ahead is drained again, and not left behind', () => {
  const skipped = a.drainedFor('new', { at: noon + 365 * 24 * hour, state: 'Skipped' })

  expect(done(upgrade({ drain: { onTimeout: 'Skip' } }, skipped))).toEqual(['cordon a Ours'])
})

test('a node whose drain was given up by a clock that was a minute ahead is left out until then', () => {
  const skipped = a.drainedFor('new', { at: noon + minute, state: 'Skipped' })

  expect(done(upgrade({ drain: { onTimeout: 'Skip' } }, skipped))).toEqual([])
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { assignments, condition, remembering, selected, verdict } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, nodes } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'
import { old, since } from './some-failures.ts'

test('a failed canary rolls the pool back, and its node first', () => {
  const pool = aPool({ head: 'bad', stable: 'older', since, waves: [aWave('canary', 1)] }).with(
    aNode('a').rolledBackFrom('bad'),
    ...old('b', 'c'),
  )

  const decision = decide(pool, noon)

  expect(assignments(decision)).toEqual(['a → older'])
  expect(decision.status.target?.revision).toBe('older')
  expect(decision.status.rejected.map(({ revision }) => revision)).toEqual(['bad'])
  expect(decision.status.history.map(({ revision, result }) => `${revision} ${result}`)).toEqual([
    'older Running',
    'bad RolledBack',
    'older Completed',
  ])
  expect(verdict(decision)).toEqual({ Ready: 'False RollingBack', Reconciling: 'True RollingBack', Stalled: 'True RolledBack' })
})

test('a commit that failed on one node gives another one that is down its chance, and is rejected when that is over', () => {
  const policy = { waves: [aWave('canary', 2), aWave('rest', '100%')], maxFailures: 1, maxUnavailable: 2 }
  const pool = aPool({ head: 'bad', stable: 'older', since, ...policy })
  const failed = aNode('a').rolledBackFrom('bad')
  const down = aNode('b')
    .on('older')
    .notReady(noon - 2 * minute)
  const assigned = down.assignedTo('bad').assignedWhileDown()

  const first = decide(pool.with(failed, down), noon)
  const later = remembering(pool.with(failed, assigned), first)
  const next = decide(later, noon)

  expect(assignments(first)).toEqual(['b → bad'])
  expect(next.status.rejected).toEqual([])
  expect(condition(next, 'Reconciling').message).toBe(
    '0 of 2 nodes are at bad; 1 Failed, 1 Unreachable; wave 1 of 2, "canary"; ' +
      'only "b" can still try it, not sound before the assignment: waits until 2026-11-21T12:15:00.000Z',
  )
  expect(decide(later, noon + 14 * minute).wakeAt).toBe(noon + 15 * minute)
  expect(decide(later, noon + 15 * minute - 1).status.rejected).toEqual([])
  expect(decide(later, noon + 15 * minute).status.rejected.map(({ revision }) => revision)).toEqual(['bad'])
})

test.each([
  ['the controller has just started', { watchedSince: noon - minute }, noon + minute],
  ['the API server was away', { steadySince: noon - minute }, noon + 14 * minute],
])('a commit that failed on one node gives another one that was down its chance also when %s', (_, broken, until) => {
  const policy = { waves: [aWave('canary', 2), aWave('rest', '100%')], maxFailures: 1, maxUnavailable: 2 }
  const failed = aNode('a').rolledBackFrom('bad', { at: noon - 25 * minute })
  const down = aNode('b')
    .on('older')
    .notReady(noon - hour)
    .assignedTo('bad', { at: noon - 20 * minute })
  const pool = { ...aPool({ head: 'bad', stable: 'older', since: noon - hour, ...policy }).with(failed, down), ...broken }

  expect(decide(pool, noon).status.rejected).toEqual([])
  expect(decide(pool, noon).wakeAt).toBe(until)
  expect(decide(pool, until).status.rejected.map(({ revision }) => revision)).toEqual(['bad'])
})

test('a pool of which nothing has failed waits for no rejection', () => {
  const pool = aPool({ head: 'new', stable: 'older', since })
  const down = aNode('a')
    .on('older')
    .assignedTo('new')
    .notReady(noon - minute)
    .assignedWhileDown()

  expect(condition(decide(pool.with(down), noon), 'Reconciling').message).toBe(
    '0 of 1 nodes are at new; 1 Unreachable; no eligible node for new; "a": not Ready',
  )
})

test.each([
  ['opens no further wave', [aWave('canary', { tier: 'canary' }), aWave('rest', '100%')]],
  ['does not complete', [aWave('all', '100%')]],
])(
  'a commit that failed on one node %s while another one that is down has its chance, when it works only on one that it does not change',
  (_, waves) => {
    const wants = { same: { digest: 'older' } }
    const pool = aPool({ head: 'bad', stable: 'older', since, waves, wants, maxFailures: 1, maxUnavailable: 3 })
    const down = aNode('b')
      .on('older')
      .notReady(noon - 2 * minute)
      .assignedTo('bad')
      .assignedWhileDown()
    const canaries = [aNode('a').rolledBackFrom('bad'), down, aNode('same').on('older')]
    const members = canaries.map((node) => node.labelled({ tier: 'canary' }))
    const all = pool.with(...members, ...(waves.length > 1 ? old('c') : []))

    const decision = decide(all, noon)

    expect(assignments(decision)).toEqual([])
    expect(decision.status.history[0]?.result).toBe('Running')
    expect(condition(decision, 'Reconciling').message).toMatch(/only "b" can still try it/)
    expect(decide(all, noon + 15 * minute).status.rejected.map(({ revision }) => revision)).toEqual(['bad'])
  },
)

test('a commit is rejected at once when the other node, which is down, does not have it', () => {
  const waves = [aWave('canary', { tier: 'canary' }), aWave('rest', '100%')]
  const down = aNode('b')
    .notReady(noon - hour)
    .on('older', { at: noon - 5 * minute })
    .cordoned()
  const canaries = [aNode('a').rolledBackFrom('bad'), down].map((node) => node.labelled({ tier: 'canary' }))
  const pool = aPool({ head: 'bad', stable: 'older', since, waves, maxFailures: 1 }).with(...canaries, ...old('c'))

  expect(decide(pool, noon).status.rejected.map(({ revision }) => revision)).toEqual(['bad'])
})

test('a commit is rejected at once when the other node, which has not had its chance at what it has, is not changed by it', () => {
  const same = aNode('same')
    .notReady(noon - hour)
    .assignedTo('older', { at: noon - 12 * minute })
  const wants = { same: { digest: 'older' } }
  const pool = aPool({ head: 'bad', stable: 'older', since, wants, maxFailures: 1 }).with(aNode('a').rolledBackFrom('bad'), same)

  expect(decide(pool, noon).status.rejected.map(({ revision }) => revision)).toEqual(['bad'])
})

test('the message that names the last node which can try a commit stays the same when the stamp of its assignment is ahead', () => {
  const pool = aPool({ head: 'bad', stable: 'older', since, maxFailures: 1, maxUnavailable: 2 })
  const down = aNode('b')
    .notReady(noon - 2 * minute)
    .assignedTo('bad', { at: noon + 5 * minute })
    .assignedWhileDown()
  const all = pool.with(aNode('a').rolledBackFrom('bad'), down)
  const message = (now: number): string => condition(decide(all, now), 'Reconciling').message

  expect(message(noon)).toBe(
    '0 of 2 nodes are at bad; 1 Failed, 1 Unreachable; only "b" can still try it, not sound before the assignment',
  )
  expect(message(noon + 1)).toBe(message(noon))
})

test('the message that names the last nodes which can try a commit has no time when one of their stamps is ahead', () => {
  const pool = aPool({ head: 'bad', stable: 'older', since, maxFailures: 1, maxUnavailable: 3 })
  const down = (name: string, at: number) =>
    aNode(name)
      .notReady(noon - 2 * minute)
      .assignedTo('bad', { at })
      .assignedWhileDown()
  const all = pool.with(aNode('a').rolledBackFrom('bad'), down('b', noon + 5 * minute), down('c', noon - minute))

  expect(condition(decide(all, noon), 'Reconciling').message).toBe(
    '0 of 3 nodes are at bad; 1 Failed, 2 Unreachable; only "b", "c" can still try it, not sound before the assignment',
  )
})

test('the history keeps the most failures that a run has seen at one time', () => {
  const pool = aPool({ head: 'bad', stable: 'older', since, maxFailures: 2 }).with(
    ...nodes('a', 'b').map((node) => node.rolledBackFrom('bad')),
    ...old('c', 'd', 'e'),
  )
  const first = decide(pool, noon)
  const gone = { ...remembering(pool, first), nodes: [aNode('a').rolledBackFrom('bad'), ...old('c', 'd', 'e')] }

  expect(first.status.history[0]).toMatchObject({ revision: 'bad', result: 'Running', failures: 2 })
  expect(decide(gone, noon).status.history[0]).toMatchObject({ result: 'Running', failures: 2 })
})

test('a rollback leaves the count of failures with the run that failed', () => {
  const pool = aPool({ head: 'bad', stable: 'older', since }).with(aNode('a').rolledBackFrom('bad'), ...old('b'))

  expect(decide(pool, noon).status.history.map(({ failures }) => failures)).toEqual([undefined, 1, undefined])
})

test('a rollback stays a rollback once the node that failed is well again', () => {
  const failed = aPool({ head: 'bad', stable: 'older', since }).with(aNode('a').rolledBackFrom('bad'), ...old('b'))
  const well = { ...remembering(failed, decide(failed, noon)), nodes: [aNode('a').on('older', { at: noon }), ...old('b')] }

  const decision = decide(well, noon + minute)

  expect(decision.actions).toEqual([])
  expect(decision.status.history[0]).toMatchObject({ revision: 'older', result: 'Completed' })
  expect(decision.status.conditions[2]?.message).toBe(
    'bad failed on "a": failed to validate config: unknown flag: --foo; the pool stays with older; ' +
      'push a fix or a revert, or: nodewave retry workers (or kubectl annotate --overwrite nwp/workers nodewave.io/retry=bad)',
  )
})

test('a pool bears as many failures as its policy says', () => {
  const pool = aPool({ stable: 'older', since, maxFailures: 1 }).with(aNode('a').rolledBackFrom('new'), ...old('b', 'c'))

  expect(selected(decide(pool, noon)).toSorted()).toEqual(['b', 'c'])
})

test('a pool that bears failures completes without the nodes that failed, and is not ready', () => {
  const pool = aPool({ stable: 'older', since, maxFailures: 1 }).with(
    aNode('a').rolledBackFrom('new'),
    aNode('b').on('new', { at: noon - minute }),
  )

  const decision = decide(pool, noon)

  expect(decision.status.stable?.revision).toBe('new')
  expect(verdict(decision)).toEqual({ Ready: 'False NodesFailed', Reconciling: 'False NodesFailed', Stalled: 'True NodesFailed' })
})

test('a wave that bears less than its pool stops it', () => {
  const strict = [aWave('canary', 2, { maxFailures: { count: 0 } }), aWave('rest', '100%')]
  const pool = aPool({ head: 'bad', stable: 'older', since, maxFailures: 5, waves: strict }).with(
    aNode('a').rolledBackFrom('bad'),
    aNode('b').on('bad', { at: noon - minute }),
    ...old('c', 'd'),
  )

  expect(decide(pool, noon).status.target?.revision).toBe('older')
})

test('a failure counts for the wave that its node was taken in, whichever is open', () => {
  const strict = [aWave('canary', 1), aWave('rest', '100%', { maxFailures: { count: 0 } })]
  const wave = { index: 2, count: 2, name: 'rest' }
  const first = aNode('a').rolledBackFrom('bad', { at: noon - 5 * minute })
  const second = aNode('b').on('bad', { at: noon - minute })
  const pool = aPool({ head: 'bad', stable: 'older', since, maxFailures: 1, waves: strict, wave })

  expect(decide(pool.with(first, second, ...old('c')), noon).status.target?.revision).toBe('bad')
  expect(
    decide(pool.with(aNode('a').on('bad', { at: noon - 5 * minute }), aNode('b').rolledBackFrom('bad'), ...old('c')), noon).status
      .target?.revision,
  ).toBe('older')
})

test('a wave stops the pool exactly when more of its nodes fail than it bears', () => {
  const share = fc.oneof(fc.record({ count: fc.nat(12) }), fc.record({ percent: fc.nat(100) }))
  fc.assert(
    fc.property(share, fc.integer({ min: 0, max: 9 }), (maxFailures, failing) => {
      const members = Array.from({ length: 10 }, (_, i) =>
        i < failing ? aNode(`n${i}`).rolledBackFrom('bad') : aNode(`n${i}`).on('bad', { at: noon - minute }),
      )
      const pool = aPool({ head: 'bad', stable: 'older', since, maxFailures: 10, waves: [aWave('all', '100%', { maxFailures })] })
      const borne = 'count' in maxFailures ? maxFailures.count : Math.floor(maxFailures.percent / 10)
      expect(decide(pool.with(...members), noon).status.target?.revision).toBe(failing > borne ? 'older' : 'bad')
    }),
  )
})

test('a commit that failed on all it was tried on is rejected whatever the policy bears', () => {
  const pool = aPool({ head: 'bad', stable: 'older', since, maxFailures: '50%', waves: [aWave('canary', 1)] }).with(
    aNode('a').rolledBackFrom('bad'),
    ...old('b', 'c', 'd'),
  )

  expect(decide(pool, noon).status.target?.revision).toBe('older')
})

test('a node that dies a day after its agent passed the trial rejects nothing, and the rest of the pool gets the commit', () => {
  const decided = (lastKnownGood: string) => {
    const dead = aNode('a')
      .on('new', { at: noon - 24 * hour })
      .reporting('Applied', { lastKnownGood })
      .notReady(noon - 20 * minute)
    const pool = aPool({ head: 'new', stable: 'older', since: noon - 48 * hour, maxUnavailable: 2 })
    return decide(pool.with(dead, aNode('b').on('new'), ...old('c')), noon)
  }

  expect(decided('new').status).toMatchObject({ target: { revision: 'new' }, failed: [], rejected: [] })
  expect(assignments(decided('new'))).toEqual(['c → new'])
  expect(decided('older').status.rejected.map(({ revision }) => revision)).toEqual(['new'])
})

test('a failure in a completed run rejects nothing', () => {
  const pool = aPool({ head: 'older', stable: 'older' }).with(aNode('fresh').rolledBackFrom('older'), ...old('a'))

  const decision = decide(pool, noon)

  expect(decision.status.rejected).toEqual([])
  expect(verdict(decision).Stalled).toBe('True NodesFailed')
})

test('a rollback goes on past a node that cannot be put back', () => {
  const history = [aRollout('older'), aRollout('bad', { result: 'RolledBack' }), aRollout('older', { result: 'Completed' })]
  const pool = aPool({ head: 'bad', stable: 'older', rejected: ['bad'], history, maxUnavailable: 2 }).with(
    aNode('a').assignedTo('older', { at: noon }).reporting('Failed').notReady(noon),
    aNode('b').on('bad'),
    aNode('c').on('older'),
  )

  expect(assignments(decide(pool, noon))).toEqual(['b → older'])
})

test('nothing is retried when the status was lost: what failed counts again', () => {
  const pool = aPool({ head: 'bad', onFailure: 'Halt' }).with(aNode('a').rolledBackFrom('bad'), ...old('b'))

  const decision = decide(pool, noon)

  expect(decision.actions).toEqual([])
  expect(verdict(decision).Stalled).toBe('True Halted')
})

import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { assignments, condition, remembering } from '../builders/decisions.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'
import { completedBut, runningBut, undone } from './some-retries.ts'

test('a retry in a rollout under way has the node that failed within its limit try once more, and nobody else', () => {
  const before = decide(runningBut(undone), noon)
  const decision = decide(runningBut(undone, { retry: 'new' }), noon + minute)

  expect(condition(before, 'Stalled')).toMatchObject({
    reason: 'NodesFailed',
    message: expect.stringMatching(/; repair what is to blame, then: nodewave retry workers \(or kubectl annotate .*\)$/),
  })
  expect(before.actions).toEqual([])
  expect(assignments(decision)).toEqual(['a → new'])
  expect(decision.status.controls[0]).toMatchObject({ outcome: 'Done', message: 'nodes that failed get new once more' })
})

test('a node that fails again after a retry in a rollout under way counts once, and is not tried once more by itself', () => {
  const retried = decide(runningBut(undone, { retry: 'new' }), noon + minute)
  const again = runningBut(aNode('a').rolledBackFrom('new', { at: noon + minute, to: 'older' }), { retry: 'new' })
  const decision = decide(remembering(again, retried), noon + 2 * minute)

  expect(assignments(decision)).toEqual([])
  expect(decision.status).toMatchObject({ rejected: [], failed: [{ node: 'a' }], history: [{ failures: 1 }] })
})

test.each([
  [
    'whose agent undoes it',
    aNode('b')
      .on('older')
      .assignedTo('new', { at: noon - 5 * minute })
      .reporting('RolledBack', { since: noon + 2 * minute }),
  ],
  [
    'whose work does not end in time',
    aNode('b')
      .on('older')
      .assignedTo('new', { at: noon - 8 * minute })
      .reporting('Verifying'),
  ],
  [
    'on which no pod runs',
    aNode('b')
      .on('new', { at: noon - 5 * minute })
      .noting('Failed', { message: 'no CNI', endedAt: noon + 2 * minute }),
  ],
])('a node at work at the time of a retry that fails after it counts, and is not tried again by itself: one %s', (_, failed) => {
  const waves = [aWave('first', 3, { soak: 120 * minute })]
  const well = aNode('c').on('new', { at: noon - 50 * minute })
  const nodes = [
    undone,
    aNode('b')
      .on('older')
      .assignedTo('new', { at: noon - 5 * minute }),
    well,
  ] as const
  const pool = aPool({
    head: 'new',
    stable: 'older',
    history: [aRollout('new', { startedAt: noon - 60 * minute })],
    waves,
    maxFailures: 1,
    maxUnavailable: '100%',
    applyTimeout: 10 * minute,
  })
  const before = pool.with(...nodes, aNode('d').on('older'))
  const seen = remembering(before, decide(before, noon))
  const retried = decide({ ...seen, controls: { retry: 'new' } }, noon + minute)
  const after = pool.with(
    aNode('a').on('new', { at: noon + minute, since: noon + 2 * minute }),
    failed,
    well,
    aNode('d').on('older'),
  )
  const decision = decide(remembering(after, retried), noon + 4 * minute)

  expect(assignments(retried)).toEqual(['a → new'])
  expect(assignments(decision)).toEqual([])
  expect(decision.status.failed).toMatchObject([{ node: 'b' }])
})

test('a retry has a node try once more whose agent says nothing within agentTimeout, and not only when applyTimeout is over', () => {
  const history = [aRollout('new', { startedAt: noon - 60 * minute })]
  const policy = { maxFailures: 1, maxUnavailable: 1, applyTimeout: 30 * minute, agentTimeout: 5 * minute } as const
  const pool = aPool({ head: 'new', stable: 'older', history, waves: [aWave('first', 2, { soak: 120 * minute })], ...policy })
  const silent = pool.with(
    aNode('a')
      .on('older')
      .assignedTo('new', { at: noon - 10 * minute }),
    aNode('b').on('new', { at: noon - 50 * minute }),
    aNode('c').on('older'),
  )
  const before = decide(silent, noon)
  const decision = decide({ ...remembering(silent, before), controls: { retry: 'new' } }, noon + minute)

  expect(before.status.failed).toMatchObject([{ node: 'a', reason: 'AgentSilent' }])
  expect(assignments(decision)).toEqual(['a → new'])
})

test('a node that a rollout under way took down counts also after a retry', () => {
  const down = undone.notReady(noon - 40 * minute)
  const decision = decide(runningBut(down, { retry: 'new' }), noon + minute)

  expect(decision.actions).toMatchObject([{ kind: 'assign', node: 'a', digest: 'new', nodeWas: 'Disturbed' }])
})

test.each([
  ['the commit that the rollout began with', 'new'],
  ['the newest commit, of equal content', 'c0ffee1'],
])('a retry in a rollout under way may name %s', (_, retry) => {
  const pool = runningBut(undone, {})
  const equal = { ...pool, head: { ...pool.head, revision: 'c0ffee1' } }
  const later = remembering(equal, decide(equal, noon))

  expect(later.memory).toMatchObject({ target: { revision: 'c0ffee1' }, history: [{ revision: 'new', result: 'Running' }] })
  expect(assignments(decide({ ...later, controls: { retry } }, noon + minute))).toEqual(['a → new'])
})

test('a retry of another commit than the one under way is refused, whatever failed', () => {
  const decision = decide(runningBut(undone, { retry: 'c0ffee1' }), noon + minute)

  expect(decision.actions).toEqual([])
  expect(decision.status.controls[0]).toMatchObject({
    outcome: 'Refused',
    message: 'no failed commit of this pool has this name',
  })
})

test('a retry in a rollout under way in which only rendering failed is refused', () => {
  const pool = runningBut(aNode('a').on('older'), { retry: 'new' })
  const wanted = new Map([...pool.head.wanted, ['a', { kind: 'problem', message: 'no such label' }] as const])
  const seen = { ...pool, controls: {}, head: { ...pool.head, wanted } }
  const decision = decide({ ...remembering(seen, decide(seen, noon)), controls: { retry: 'new' } }, noon + minute)

  expect(decision.status.controls[0]).toMatchObject({ outcome: 'Refused' })
})

test('a node that fails again after the retry of a completed commit is not tried once more by itself', () => {
  const first = decide(
    completedBut(aNode('a').rolledBackFrom('new', { at: noon - 50 * minute }), { retry: 'new' }),
    noon + minute,
  )
  const again = completedBut(aNode('a').rolledBackFrom('new', { at: noon + minute }), { retry: 'new' })

  const decision = decide(remembering(again, first), noon + 2 * minute)

  expect(assignments(decision)).toEqual([])
  expect(condition(decision, 'Stalled').reason).toBe('NodesFailed')
})

test('a retry of a completed commit disturbs no node that is well or at work', () => {
  const busy = aNode('d').on('older').assignedTo('new', { at: noon })
  const pool = completedBut(aNode('a').rolledBackFrom('new', { at: noon - 50 * minute }), { retry: 'new' })
  const more = { ...pool, policy: { ...pool.policy, maxUnavailable: { percent: 100 } }, nodes: [...pool.nodes, busy] }
  const wanted = new Map([...pool.head.wanted, ['d', { kind: 'config', digest: 'new', disruption: 'restart' }] as const])

  expect(assignments(decide({ ...more, head: { ...pool.head, wanted } }, noon + minute))).toEqual(['a → new'])
})

import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { assignments, condition, remembering, selected, verdict } from '../builders/decisions.ts'
import { minute, noon, stamp } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'

const halted = {
  head: 'bad-commit',
  rejected: ['bad-commit'],
  onFailure: 'Halt',
  history: [aRollout('bad-commit', { result: 'Halted' })],
} as const

test('a retry assigns the node that failed again, and the pool goes on', () => {
  const pool = aPool({ ...halted, controls: { retry: 'bad-commit' } }).with(
    aNode('a').rolledBackFrom('bad-commit'),
    aNode('b').on('older'),
  )

  const decision = decide(pool, noon)

  expect(assignments(decision)[0]).toBe('a → bad-commit')
  expect(decision.status.rejected).toEqual([])
  expect(decision.status.observedControls).toEqual({ retry: 'bad-commit' })
  expect(decision.status.history[0]).toMatchObject({ revision: 'bad-commit', result: 'Running' })
})

test('a retry may name the commit by its beginning', () => {
  const pool = aPool({ ...halted, controls: { retry: 'bad-com' } }).with(aNode('a').on('older'))

  expect(selected(decide(pool, noon))).toEqual(['a'])
})

test('a retry of a commit that renders the same as the rejected one lets that content try again', () => {
  const pool = aPool({ ...halted, commit: 'c0ffee1', controls: { retry: 'c0ffee1' } }).with(aNode('a').on('older'))

  expect(selected(decide(pool, noon))).toEqual(['a'])
})

test('a retry counts once: what fails again stays rejected, and the annotation is cleared', () => {
  const pool = aPool({ ...halted, controls: { retry: 'bad-commit' } }).with(aNode('a').rolledBackFrom('bad-commit'))
  const failedAgain = [aNode('a').rolledBackFrom('bad-commit', { at: noon })]

  const decision = decide({ ...remembering(pool, decide(pool, noon)), nodes: failedAgain }, noon + minute)

  expect(decision.actions).toEqual([{ kind: 'clearControl', control: 'retry', value: 'bad-commit' }])
  expect(verdict(decision).Stalled).toBe('True Halted')
})

test('a retry is waited for while the agent still shows the old failure', () => {
  const pool = aPool({ ...halted, controls: { retry: 'bad-commit' } }).with(aNode('a').rolledBackFrom('bad-commit'))
  const { status } = aNode('a').rolledBackFrom('bad-commit')
  const assigned = { ...aNode('a').assignedTo('bad-commit', { at: noon }), ...(status && { status }) }

  const decision = decide({ ...remembering(pool, decide(pool, noon)), nodes: [assigned] }, noon + 1000)

  expect(decision.status.nodes.byPhase).toEqual({ Assigned: 1 })
  expect(decision.status.rejected).toEqual([])
})

test('a retry of a commit that nobody rejected changes nothing', () => {
  const pool = aPool({ ...halted, controls: { retry: 'c0ffee1' } }).with(aNode('a').on('older'))

  expect(decide(pool, noon).actions).toEqual([])
})

/** Three of four nodes completed the commit; `a` failed, within the limit of the pool. */
function completedBut(failed: NodeView, controls: PoolOptions['controls'] = {}) {
  const history = [aRollout('new', { result: 'Completed', startedAt: noon - 60 * minute })]
  const done = ['b', 'c'].map((name) => aNode(name).on('new', { at: noon - 50 * minute }))
  const pool = aPool({ head: 'new', stable: 'new', history, maxFailures: 1, maxUnavailable: 1 }).with(failed, ...done)
  const seen = remembering(pool, decide(pool, noon))
  return { ...seen, controls: controls ?? {} }
}

test.each([
  ['whose agent put it back', aNode('a').rolledBackFrom('new', { at: noon - 50 * minute })],
  [
    'whose agent is silent',
    aNode('a')
      .on('older')
      .assignedTo('new', { at: noon - 50 * minute }),
  ],
  [
    'whose agent did not end the work in time',
    aNode('a')
      .assignedTo('new', { at: noon - 50 * minute })
      .reporting('Verifying'),
  ],
  [
    'on which no pod ran',
    aNode('a')
      .on('new', { at: noon - 50 * minute })
      .noting('Failed', { message: 'no CNI' }),
  ],
])('a retry of a completed commit has a node try it once more %s', (_, failed) => {
  const before = decide(completedBut(failed), noon)
  const decision = decide(completedBut(failed, { retry: 'new' }), noon + minute)

  expect(condition(before, 'Stalled')).toMatchObject({
    reason: 'NodesFailed',
    message: expect.stringMatching(
      /^"a": .*; repair what is to blame, then: nodewave retry workers \(or kubectl annotate --overwrite nwp\/workers nodewave.io\/retry=new\)$/,
    ),
  })
  expect(before.actions).toEqual([])
  expect(assignments(decision)).toEqual(['a → new'])
  expect(decision.status.controls[0]).toMatchObject({ outcome: 'Done', message: 'nodes that failed get new once more' })
})

const overdue = aNode('a').assignedTo('new', { at: noon - 50 * minute })

test.each([
  ['is silent', overdue],
  ['did not end the work in time', overdue.reporting('Verifying')],
])('a retry has a node try it once more when its agent %s before the API server was away', (_, failed) => {
  const pool = { ...completedBut(failed, { retry: 'new' }), steadySince: noon + minute }

  expect(assignments(decide(pool, noon + 2 * minute))).toEqual(['a → new'])
})

test('a retry of a rejected commit passes no wave before a node whose work was overdue before the API server was away tries it once more', () => {
  const canary = { role: 'canary' }
  const failed = aNode('a')
    .labelled(canary)
    .assignedTo('bad-commit', { at: noon - 50 * minute })
    .reporting('Verifying')
  const applied = aNode('b')
    .labelled(canary)
    .on('bad-commit', { at: noon - 50 * minute })
  const pool = aPool({ ...halted, waves: [aWave('canary', canary)] }).with(failed, applied, aNode('c').on('older'))
  const seen = { ...remembering(pool, decide(pool, noon)), steadySince: noon + minute }
  const retried = decide({ ...seen, controls: { retry: 'bad-commit' } }, noon + 2 * minute)

  expect(assignments(retried)).toEqual([])
  expect(retried.status.nodes.byPhase).toEqual({ Applying: 1, Current: 1, Waiting: 1 })
  expect(assignments(decide(remembering(seen, retried), noon + 16 * minute))).toEqual(['a → bad-commit'])
})

test('a retry of a rejected commit has a node whose agent was silent try it once more before its wave passes', () => {
  const canary = { role: 'canary' }
  const silent = aNode('a')
    .labelled(canary)
    .assignedTo('bad-commit', { at: noon - 5 * minute })
  const applied = aNode('b')
    .labelled(canary)
    .on('bad-commit', { at: noon - 50 * minute })
  const options = { ...halted, agentTimeout: 4 * minute, applyTimeout: 30 * minute, waves: [aWave('canary', canary)] }
  const pool = aPool(options).with(silent, applied, aNode('c').on('older'))
  const seen = remembering(pool, decide(pool, noon))

  expect(assignments(decide({ ...seen, controls: { retry: 'bad-commit' } }, noon))).toEqual(['a → bad-commit'])
})

const early = aNode('b')
  .labelled({ role: 'early' })
  .on('bad-commit', { at: noon - 50 * minute })

test.each([
  ['runs another version', early.running('1.35.0')],
  ['went down in its soak', early.notReady(noon - 48 * minute)],
  ['came under pressure in its soak', early.under('DiskPressure', noon - 49 * minute)],
])('a retry of a rejected commit passes no wave by a node that has the commit, failed before, and %s', (_, failed) => {
  const soak = { soak: 5 * minute }
  const canary = aNode('a')
    .labelled({ role: 'canary' })
    .on('bad-commit', { at: noon - 55 * minute })
  const waves = [aWave('canary', { role: 'canary' }, soak), aWave('early', { role: 'early' }, soak)]
  const wants = { b: { digest: 'bad-commit', version: 'v1.36.3' } }
  const pool = aPool({ ...halted, stable: 'older', waves, wants }).with(canary, failed, aNode('c').on('older'))
  const seen = remembering(pool, decide(pool, noon - minute))
  const retried = decide({ ...seen, controls: { retry: 'bad-commit' } }, noon)

  expect(assignments(retried)).toEqual([])
  expect(retried.status.wave?.name).toBe('early')
  expect(condition(retried, 'Stalled')).toMatchObject({ reason: 'NodesFailed', message: expect.stringContaining('"b": node ') })
})

test.each([
  [
    'is not Ready',
    aNode('a')
      .on('new', { at: noon - 50 * minute })
      .notReady(noon - 45 * minute),
  ],
  [
    'came under pressure',
    aNode('a')
      .on('new', { at: noon - 50 * minute })
      .under('DiskPressure', noon - 40 * minute),
  ],
  [
    'runs another kubelet',
    aNode('a')
      .on('new', { at: noon - 50 * minute })
      .running('1.35.0'),
  ],
])('pool says that no retry is needed, and refuses it, when a node that has the commit %s', (_, failed) => {
  const wants = { a: { version: '1.36.3' } }
  const pool = runningBut(failed, {}, { wants })
  const decision = decide({ ...pool, controls: { retry: 'new' } }, noon + minute)

  expect(condition(decide(pool, noon), 'Stalled').message).toMatch(
    /^"a": .*; repair what is to blame; nodes that are well again need no retry$/,
  )
  expect(decision.actions).toEqual([])
  expect(decision.status.controls[0]).toMatchObject({
    outcome: 'Refused',
    message: 'the nodes that failed have new; repair them: they need no retry',
  })
})

/** `a` failed in the first of two waves, within the limit of the pool; the second waits. */
function runningBut(failed: NodeView, controls: PoolOptions['controls'] = {}, more: PoolOptions = {}) {
  const history = [aRollout('new', { startedAt: noon - 60 * minute })]
  const waves = [aWave('first', 2, { soak: 120 * minute })]
  const pool = aPool({ head: 'new', stable: 'older', history, waves, maxFailures: 1, maxUnavailable: 1, ...more }).with(
    failed,
    aNode('b').on('new', { at: noon - 50 * minute }),
    aNode('c').on('older', { at: noon - 90 * minute }),
  )
  const seen = remembering(pool, decide(pool, noon))
  return { ...seen, controls: controls ?? {} }
}
const undone = aNode('a').rolledBackFrom('new', { at: noon - 50 * minute, to: 'older' })

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

test('a retry leaves alone a node whose agent waits for a greater grant for longer than its work may take', () => {
  const waits = aNode('b')
    .on('older')
    .assignedTo('new', { at: noon - 50 * minute })
    .reporting('Blocked', { needs: 'drain' })
  const history = [aRollout('new', { startedAt: noon - 60 * minute })]
  const policy = { waves: [aWave('first', 2)], maxFailures: 1, maxUnavailable: 2, drain: { mode: 'Never' } } as const
  const pool = aPool({ head: 'new', stable: 'older', history, ...policy }).with(undone, waits, aNode('c').on('older'))
  const decision = decide({ ...remembering(pool, decide(pool, noon)), controls: { retry: 'new' } }, noon + minute)

  expect(decision.actions.find((action) => action.kind === 'assign' && action.node === 'b')).toMatchObject({ grant: 'drain' })
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

test('a node that fails again is not tried without end when the retry was stamped by a clock that has been put back since', () => {
  const run = aRollout('new', { result: 'Completed', startedAt: noon - 60 * minute })
  const history = [{ ...run, retriedAt: stamp(noon + 24 * 60 * minute) }]
  const [failedBefore, failedSince] = [noon - minute, noon].map((at) =>
    aPool({ head: 'new', stable: 'new', history, maxFailures: 1 }).with(
      aNode('a').rolledBackFrom('new', { at }),
      aNode('b').on('new'),
    ),
  ) as [PoolSnapshot, PoolSnapshot]

  const first = decide(failedBefore, noon)
  const again = decide(remembering(failedSince, first), noon + minute)

  expect(assignments(first)).toEqual(['a → new'])
  expect(first.status.history[0]?.retriedAt).toBe('2026-11-21T12:00:00.000Z')
  expect(assignments(again)).toEqual([])
})

test('a retry assigns a node again that failed when the clock was a day ahead, and does not take that for a failure of its own', () => {
  const failed = aNode('a').rolledBackFrom('bad-commit', { at: noon + 24 * 60 * minute })
  const decision = decide(aPool({ ...halted, controls: { retry: 'bad-commit' } }).with(failed, aNode('b').on('older')), noon)

  expect(assignments(decision)[0]).toBe('a → bad-commit')
  expect(decision.status.rejected).toEqual([])
})

test('a retry goes on when the leader that began it had a clock which was ahead', () => {
  const [startedAt, assignedBefore] = [noon + 5 * minute - 1000, noon + 4 * minute]
  const history = [aRollout('new', { startedAt }), aRollout('new', { result: 'Halted', startedAt: noon - minute })]
  const pool = aPool({ head: 'new', onFailure: 'Halt', history })
  const failed = (at: number) => pool.with(aNode('a').rolledBackFrom('new', { at }), aNode('b').on('older'))

  const first = decide(failed(assignedBefore), noon)
  const again = decide(remembering(failed(startedAt), first), noon + minute)

  expect(first.actions[0]).toMatchObject({ kind: 'assign', node: 'a', digest: 'new', at: startedAt })
  expect(first.status.rejected).toEqual([])
  expect(verdict(again).Stalled).toBe('True Halted')
})

test('a retry of a completed commit assigns a node once when it was stamped by a clock which is ahead', () => {
  const run = aRollout('new', { result: 'Completed', startedAt: noon - 60 * minute })
  const retriedAt = noon + 5 * minute
  const history = [{ ...run, retriedAt: stamp(retriedAt) }]
  const pool = aPool({ head: 'new', stable: 'new', history, maxFailures: 1 })
  const failed = (at: number) => pool.with(aNode('a').rolledBackFrom('new', { at }), aNode('b').on('new'))

  const first = decide(failed(noon - minute), noon)
  const again = decide(remembering(failed(retriedAt), first), noon + minute)

  expect(first.actions).toMatchObject([{ kind: 'assign', node: 'a', digest: 'new', at: retriedAt }])
  expect(assignments(again)).toEqual([])
})

test('a retry assigns a node again when the leader before, whose clock was ahead, had assigned it', () => {
  const assignedBefore = noon + 4 * minute
  const pool = aPool({ ...halted, controls: { retry: 'bad-commit' } })
  const failed = (at: number) => pool.with(aNode('a').rolledBackFrom('bad-commit', { at }), aNode('b').on('older'))

  const first = decide(failed(assignedBefore), noon)
  const again = decide(remembering(failed(assignedBefore + 1), first), noon + minute)

  expect(first.actions[0]).toMatchObject({ kind: 'assign', node: 'a', digest: 'bad-commit', at: assignedBefore + 1 })
  expect(first.status.rejected).toEqual([])
  expect(verdict(again).Stalled).toBe('True Halted')
})

test('a retry of a completed commit assigns a node again when the leader before, whose clock was ahead, had assigned it', () => {
  const assignedBefore = noon + 4 * minute
  const failed = (at: number) => {
    const node = aNode('a').assignedTo('new', { at })
    return node.reporting('RolledBack', {
      since: noon - 1000,
      active: 'older',
      error: { reason: 'Failed', message: 'it failed' },
    })
  }
  const first = decide(completedBut(failed(assignedBefore), { retry: 'new' }), noon)
  const again = completedBut(failed(assignedBefore + 1), { retry: 'new' })

  expect(first.actions[0]).toMatchObject({ kind: 'assign', node: 'a', digest: 'new', at: assignedBefore + 1 })
  expect(assignments(decide(remembering(again, first), noon + minute))).toEqual([])
})

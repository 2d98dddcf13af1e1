import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { assignments, condition, remembering, selected, verdict } from '../builders/decisions.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'
import { completedBut, halted, runningBut, undone } from './some-retries.ts'

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

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { reportOf } from '../../../src/rollout/model/agent-report.ts'
import type { Instant } from '../../../src/rollout/model/instant.ts'
import { progressOf } from '../../../src/rollout/model/progress-of.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, type NodeDraft } from '../builders/nodes.ts'
import { justApplied, phase, progress } from './some-progress.ts'

test('a node is Current when its agent reports the digest, it is Ready and runs the version', () => {
  expect(phase(justApplied.running('1.36.3'), { wanted: { version: 'v1.36.3' } })).toBe('Current')
})

test('a node is not Current while its kubelet reports another version, and fails when that lasts', () => {
  const lagging = justApplied.running('1.35.4')

  expect(phase(lagging, { wanted: { version: '1.36.3' } })).toBe('Applying')
  expect(progress(lagging, { wanted: { version: '1.36.3' }, now: noon + 10 * minute }).failure).toEqual({
    reason: 'VersionMismatch',
    message: 'node runs kubelet "1.35.4", expected "1.36.3"',
  })
})

test('a node is not Current by a Ready from before its kubelet was restarted, and fails when that lasts', () => {
  const stale = Object.assign(aNode('a').on('new', { at: noon - 5 * minute, since: noon - 4 * minute }), {
    staleReady: true as const,
  })

  expect(phase(stale)).toBe('Applying')
  expect(progress(stale, { now: noon + 10 * minute }).failure?.reason).toBe('HeartbeatMissing')
})

test('a node whose content cannot be rendered has failed, and nothing of it is pending', () => {
  const wanted = { kind: 'problem', message: 'label "rack" is missing' } as const

  expect(progress(aNode('a').on('older'), { wanted })).toEqual({
    phase: 'Waiting',
    pending: false,
    failure: { reason: 'RenderFailed', message: 'label "rack" is missing' },
  })
})

test('a node is not Current by a report about another digest', () => {
  expect(phase(aNode('a').on('older').assignedTo('new'))).toBe('Assigned')
})

test('a node is not Current by a report about an earlier assignment of the same digest', () => {
  const again = aNode('a')
    .on('new', { at: noon - 30 * minute })
    .assignedTo('new', { at: noon - minute })

  expect(phase(again)).toBe('Assigned')
})

test('a node is Assigned until its agent takes the work, then Applying', () => {
  const assigned = aNode('a').assignedTo('new', { at: noon - minute })

  expect(phase(assigned)).toBe('Assigned')
  expect(phase(assigned.reporting('Fetching'))).toBe('Assigned')
  expect(phase(assigned.reporting('Staging'))).toBe('Applying')
  expect(progress(assigned.reporting('Verifying'))).toEqual({ phase: 'Applying', pending: true, until: noon + 14 * minute })
})

test('a node whose agent never takes the assignment fails as silent, sooner when the pool says so', () => {
  const ignored = aNode('a').assignedTo('new', { at: noon - 5 * minute })

  expect(progress(ignored, { agentTimeout: 6 * minute })).toEqual({ phase: 'Assigned', pending: true, until: noon + minute })
  expect(progress(ignored, { agentTimeout: 5 * minute })).toEqual({
    phase: 'Failed',
    pending: false,
    failure: { reason: 'AgentSilent', message: 'the agent has not started the assignment' },
  })
  expect(phase(ignored.reporting('Fetching'), { agentTimeout: 5 * minute })).toBe('Assigned')
})

test('a silent agent fails at the earlier of its own deadline and that of the work, and not before', () => {
  const minutes = fc.integer({ min: 1, max: 60 })
  fc.assert(
    fc.property(minutes, fc.option(minutes, { nil: undefined }), (age, agentTimeout) => {
      const silent = aNode('a').assignedTo('new', { at: noon - age * minute })
      const { failure } = progress(silent, agentTimeout === undefined ? {} : { agentTimeout: agentTimeout * minute })
      expect(failure?.reason).toBe(age >= Math.min(15, agentTimeout ?? 15) ? 'AgentSilent' : undefined)
    }),
  )
})

test('a node fails when its agent does not end the work in time', () => {
  const silent = aNode('a').assignedTo('new', { at: noon - 15 * minute })

  expect(progress(silent.reporting('Staging')).failure).toEqual({
    reason: 'ApplyTimeout',
    message: 'the agent is still at "Staging"',
  })
})

test('a node is not overdue when the controller that assigned it has a clock that is a second ahead', () => {
  const assigned = aNode('a')
    .on('new', { at: noon + 1000 })
    .reporting('Verifying')

  expect(phase(assigned)).toBe('Applying')
  expect(phase(aNode('a').assignedTo('new', { at: noon + 1000 }))).toBe('Assigned')
})

test('a timeout runs from the start of the run when the assignment is stamped in the future', () => {
  expect(phase(aNode('a').assignedTo('new', { at: noon + 24 * hour }))).toBe('Failed')
})

test('a node fails when its agent put the change back, with the error of the agent', () => {
  expect(progress(aNode('a').rolledBackFrom('new'))).toEqual({
    phase: 'Failed',
    pending: false,
    failure: { reason: 'HealthCheckFailed', message: 'failed to validate config: unknown flag: --foo' },
  })
})

test('a failure of an earlier run does not stand: the node waits to be assigned again', () => {
  expect(phase(aNode('a').rolledBackFrom('new', { at: noon - 2 * hour }))).toBe('Waiting')
})

test('an assignment that a clock a year ahead stamped is due again when its agent says that it is older than another', () => {
  const error = { reason: 'AssignmentReplayed', message: 'the agent has accepted a later one' }
  const ahead = aNode('a')
    .assignedTo('new', { at: noon + 365 * 24 * hour, counter: 5 })
    .reporting('RolledBack', { counter: 9, error })

  expect(progress(ahead)).toEqual({ phase: 'Waiting', pending: true })
})

test('a node whose agent was stuck at other work is no evidence when it says nothing about the new assignment', () => {
  const stuck = aNode('a')
    .assignedTo('older')
    .reporting('Applying')
    .assignedTo('new', { at: noon - 20 * minute })

  expect(progress(stuck)).toMatchObject({ phase: 'Failed', isEvidence: false })
  expect(
    progress(
      aNode('a')
        .on('older')
        .assignedTo('new', { at: noon - 20 * minute }),
    ),
  ).not.toHaveProperty('isEvidence')
})

test('held and hand-assigned nodes are nobody else’s matter, whatever they report', () => {
  expect(phase(aNode('a').rolledBackFrom('new').held())).toBe('Held')
  expect(phase(aNode('a').rolledBackFrom('new').byHand())).toBe('Unmanaged')
})

test('a node without an assignment joins where there is something to join, and else waits', () => {
  expect(progress(aNode('a'), { joins: true })).toMatchObject({ phase: 'Joining', pending: true })
  expect(phase(aNode('a'))).toBe('Waiting')
  expect(phase(aNode('a').notReady())).toBe('Unreachable')
})

test('a node is pending while a pod is to prove it, until that may take no longer', () => {
  const proving = (proof: object) =>
    progressOf(justApplied, {
      ...{
        wanted: { kind: 'config', digest: 'new', disruption: 'restart' },
        report: reportOf(justApplied),
        joins: false,
        soak: 0,
      },
      ...{ now: noon, rolloutStart: noon - hour, applyTimeout: 15 * minute, proof: { kind: 'Underway', ...proof } },
    })

  expect(proving({ until: noon + minute })).toEqual({ phase: 'Proving', pending: true, until: noon + minute })
  expect(proving({})).toEqual({ phase: 'Proving', pending: true })
})

test('an agent is silent from when its Node was made, where that came with the assignment of another one', () => {
  const assigned = { digest: 'new', revision: 'r', pool: 'workers', grant: 'restart', at: noon - 50 * minute } as const
  const node = { ...aNode('a'), ready: true }
  const since = (copiedAt?: Instant) =>
    progress({ ...node, assigned: { ...assigned, copiedAt } } as NodeDraft, { agentTimeout: 5 * minute })

  expect(since()).toMatchObject({ phase: 'Failed', failure: { reason: 'AgentSilent' } })
  expect(since(noon - minute)).toMatchObject({ phase: 'Assigned', until: noon + 4 * minute })
  expect(since(noon - 6 * minute)).toMatchObject({ phase: 'Failed', failure: { reason: 'AgentSilent' } })
})

test('a node whose agent does not end its work tries it once more after a retry if its time was over by then', () => {
  const overdue = aNode('a')
    .assignedTo('new', { at: noon - 15 * minute })
    .reporting('Applying')

  expect(phase(overdue, { retriedAt: noon - 1, now: noon - 1 })).toBe('Applying')
  expect(phase(overdue, { retriedAt: noon - 1 })).toBe('Failed')
  expect(phase(overdue, { retriedAt: noon })).toBe('Waiting')
})

test('a node whose content an administrator forbids is not waited for', () => {
  const wanted = { kind: 'problem', reason: 'CeilingExceeded', message: 'version 1.37 is not allowed' } as const

  expect(progress(aNode('a').on('older'), { wanted })).toEqual({ phase: 'Waiting', pending: false })
})

test.each([
  ['HeartbeatMissing', Object.assign(aNode('a').on('new'), { staleReady: true as const })],
  ['VersionMismatch', aNode('a').on('new').running('1.35.4')],
  [
    'NotRebooted',
    aNode('a')
      .on('new')
      .orderedToReboot('new', { boot: '1' }, { at: noon - 2 * hour })
      .reporting('Applied')
      .booted('1'),
  ],
])('a node fails with %s only when its kubelet could report again, after all nodes were listed again', (reason, node) => {
  const begun = { wanted: { version: '1.36.3' }, rolloutStart: noon - 3 * hour, listedAt: noon - minute }

  expect(progress(node, begun)).toMatchObject({ pending: true, until: noon + 7 * minute })
  expect(progress(node, { ...begun, now: noon + 7 * minute }).failure?.reason).toBe(reason)
  expect(progress(node, { ...begun, failedAs: [reason] }).failure?.reason).toBe(reason)
})

test('who has just begun to watch finds no agent late before agents had the time to report what became of their work', () => {
  const overdue = aNode('a').assignedTo('new', { at: noon - 40 * minute })
  const begun = { watchedSince: noon - minute }

  expect(progress(overdue.reporting('Verifying'), begun)).toEqual({ phase: 'Applying', pending: true, until: noon + minute })
  expect(progress(overdue, begun)).toEqual({ phase: 'Assigned', pending: true, until: noon + minute })
  expect(progress(overdue.reporting('Verifying'), { ...begun, now: noon + minute }).failure?.reason).toBe('ApplyTimeout')
  expect(progress(overdue, { ...begun, now: noon + minute }).failure?.reason).toBe('AgentSilent')
  expect(progress(overdue, { ...begun, failedAs: ['AgentSilent'] }).failure?.reason).toBe('AgentSilent')
})

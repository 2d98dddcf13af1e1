import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { NodePhase } from '../../../src/protocol/node-pool.ts'
import { reportOf } from '../../../src/rollout/model/agent-report.ts'
import type { Instant } from '../../../src/rollout/model/instant.ts'
import { progressOf } from '../../../src/rollout/model/progress-of.ts'
import type { NodeTarget } from '../../../src/rollout/model/snapshot.ts'
import { hour, minute, noon, stamp } from '../builders/instants.ts'
import { aNode, type NodeDraft } from '../builders/nodes.ts'

interface Options {
  readonly wanted?: Partial<NodeTarget>
  readonly soak?: number
  readonly joins?: boolean
  readonly now?: Instant
  readonly agentTimeout?: number
  readonly steadySince?: Instant
  readonly watchedSince?: Instant
  readonly listedAt?: Instant
  readonly rolloutStart?: Instant
  readonly retriedAt?: Instant
  readonly failedAs?: readonly string[]
}

/** A run that began an hour before noon, an apply timeout of 15 minutes. */
function progress(node: NodeDraft, { wanted, soak = 0, joins = false, now = noon, ...clock }: Options = {}) {
  return progressOf(node, {
    wanted: { kind: 'config', digest: 'new', disruption: 'restart', ...wanted } as NodeTarget,
    report: reportOf(node),
    joins,
    soak,
    now,
    rolloutStart: noon - hour,
    applyTimeout: 15 * minute,
    ...clock,
  })
}

function phase(node: NodeDraft, options?: Options): NodePhase {
  return progress(node, options).phase
}

const justApplied = aNode('a').on('new', { at: noon - 5 * minute, since: noon - 4 * minute })

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

test('a node soaks until it has been applied and Ready for as long as its wave says', () => {
  expect(progress(justApplied, { soak: 10 * minute })).toEqual({ phase: 'Soaking', pending: true, until: noon + 6 * minute })
  expect(phase(justApplied, { soak: 10 * minute, now: noon + 6 * minute })).toBe('Current')
})

test('a node soaks again when it was not Ready in between', () => {
  expect(progress(justApplied.readyAgain(noon - minute), { soak: 10 * minute }).until).toBe(noon + 9 * minute)
})

test('a soak ends in time though the clock of the node is a day ahead', () => {
  const ahead = aNode('a')
    .on('new', { at: noon - 5 * minute, since: noon + 24 * hour })
    .readyAgain(noon + 24 * hour)

  expect(progress(ahead, { soak: 10 * minute }).until).toBe(noon + 20 * minute)
  expect(phase(ahead, { soak: 10 * minute, now: noon + 20 * minute })).toBe('Current')
})

test('a soak is longer by two seconds when the clock of the node is two seconds ahead', () => {
  const ahead = aNode('a').on('new', { at: noon - minute, since: noon + 2000 })

  expect(progress(ahead, { soak: minute })).toMatchObject({ phase: 'Soaking', until: noon + 2000 + minute })
})

test('a soak is counted from the deadline of the work when the agent writes no date', () => {
  const applied = aNode('a')
    .assignedTo('new', { at: noon - 5 * minute })
    .reporting('Applied')
  const dateless = Object.assign(applied, { status: { ...applied.status, since: 'yesterday' } })

  expect(progress(dateless, { soak: 10 * minute }).until).toBe(noon + 20 * minute)
})

test('a soak is not skipped though the clock of the node is a day behind', () => {
  const behind = aNode('a').on('new', { at: noon - 5 * minute, since: noon - 24 * hour })

  expect(progress(behind, { soak: 10 * minute }).until).toBe(noon + 5 * minute)
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

test('a node that goes down before its agent takes the assignment fails for being down, when the time for the work is over', () => {
  const down = aNode('a')
    .assignedTo('new', { at: noon - 15 * minute })
    .notReady(noon - 10 * minute)

  expect(phase(down, { now: noon - minute, agentTimeout: minute })).toBe('Assigned')
  expect(progress(down).failure).toEqual({
    reason: 'NotReady',
    message: 'node is not Ready since 2026-11-21T11:50:00.000Z, and the agent has not started the assignment',
  })
})

test('a clock that is put forward fails no node at work, and ends no soak', () => {
  const at = noon - 40 * minute
  const now = noon
  const atWork = aNode('a').assignedTo('new', { at })
  const clock = { now, steadySince: noon - minute }

  expect(phase(atWork.reporting('Verifying'), clock)).toBe('Applying')
  expect(phase(atWork, { ...clock, agentTimeout: 5 * minute })).toBe('Assigned')
  expect(progress(atWork.reporting('Verifying'), clock).until).toBe(noon + 14 * minute)
  expect(progress(aNode('a').on('new', { at }).notReady(at), clock)).toMatchObject({
    phase: 'Unreachable',
    until: noon + 14 * minute,
  })
  expect(progress(aNode('a').on('new', { at }), { ...clock, soak: 10 * minute }).until).toBe(noon + 9 * minute)
})

test('who has just begun to watch ends no soak before agents and nodes had the time to show what became of them', () => {
  const soaking = aNode('a').on('new', { at: noon - 40 * minute })
  const begun = (watchedSince: number, soak: number) => progress(soaking, { watchedSince, soak })

  expect(begun(noon - minute, 10 * minute)).toMatchObject({ phase: 'Soaking', until: noon + minute })
  expect(begun(noon - 10_000, 30_000)).toMatchObject({ phase: 'Soaking', until: noon + 20_000 })
  expect(begun(noon - 2 * minute, 10 * minute).phase).toBe('Current')
  expect(begun(noon, 0).phase).toBe('Current')
  expect(begun(noon + hour, 10 * minute).until).toBe(noon + 2 * minute)
})

test('a node fails when its agent does not end the work in time', () => {
  const silent = aNode('a').assignedTo('new', { at: noon - 15 * minute })

  expect(progress(silent.reporting('Staging')).failure).toEqual({
    reason: 'ApplyTimeout',
    message: 'the agent is still at "Staging"',
  })
})

test('a node that asks for a greater grant waits without a deadline, unless it went bad or is not Ready', () => {
  const late = aNode('a').assignedTo('new', { at: noon - 15 * minute })
  const asking = late.reporting('Blocked', { needs: 'reboot' })
  const error = { reason: 'TrialFailed', message: 'out of luck' }

  expect(progress(asking)).toEqual({ phase: 'Waiting', pending: true })
  expect(progress(late.reporting('Blocked', { needs: 'reboot', error })).failure?.message).toBe(
    'the agent is still at "Blocked", needs "reboot"; the allowed disruption is "restart": out of luck',
  )
  expect(progress(asking.notReady()).failure?.reason).toBe('ApplyTimeout')
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

test('a node that was down before it was assigned is Unreachable and holds up no wave', () => {
  const down = aNode('a')
    .notReady(noon - 30 * minute)
    .assignedTo('new', { at: noon - 20 * minute })

  expect(progress(down)).toEqual({ phase: 'Unreachable', pending: false })
})

test('a node that went down within the second of its assignment counts as ours: Kubernetes stamps whole seconds', () => {
  const down = aNode('a')
    .notReady(noon - 20 * minute)
    .assignedTo('new', { at: noon - 20 * minute + 700 })

  expect(phase(down)).toBe('Failed')
})

test('a node that went down after it was assigned fails', () => {
  const down = aNode('a')
    .assignedTo('new', { at: noon - 20 * minute })
    .notReady(noon - 19 * minute)

  expect(phase(down)).toBe('Failed')
})

test('a node that goes down within its soak holds up the wave, and fails when that lasts for a minute', () => {
  const fallen = justApplied.notReady(noon - 1000)

  expect(progress(fallen, { soak: 10 * minute })).toEqual({ phase: 'Unreachable', pending: true, until: noon + 59_000 })
  expect(progress(fallen, { soak: 10 * minute, now: noon + 59_000 }).failure).toEqual({
    reason: 'NotReady',
    message: `node is not Ready since ${stamp(noon - 1000)}`,
  })
})

test('a node under pressure fails in its soak, for as long as the pressure lasts, unless that is older than its assignment or younger than the soak', () => {
  const squeezed = justApplied.under('DiskPressure', noon - 2 * minute)

  expect(progress(squeezed, { soak: 10 * minute }).failure).toEqual({
    reason: 'DiskPressure',
    message: `node has DiskPressure since ${stamp(noon - 2 * minute)}, in its soak`,
  })
  expect(phase(justApplied.under('DiskPressure', noon - 5 * minute), { soak: 10 * minute })).toBe('Failed')
  expect(phase(justApplied.under('DiskPressure', noon - 6 * minute), { soak: 10 * minute })).toBe('Soaking')
  expect(phase(squeezed, { soak: 4 * minute })).toBe('Failed')
  expect(phase(squeezed, { soak: 2 * minute })).toBe('Current')
})

test('a node whose clock is a day behind fails under pressure in its soak, and not under one from before or after it', () => {
  const day = 24 * hour
  const soaked = aNode('a')
    .on('new', { at: noon - 20 * minute, since: noon - day - 18 * minute })
    .readyAgain(noon - 2 * day)
  const under = (since: Instant) => phase(soaked.under('DiskPressure', since), { soak: 10 * minute })

  expect(under(noon - day - 18 * minute)).toBe('Failed')
  expect(under(noon - day - 8 * minute - 1)).toBe('Failed')
  expect(under(noon - day - 8 * minute)).toBe('Current')
  expect(under(noon - day - 18 * minute - 1)).toBe('Current')
})

test('a node whose clock is a day behind fails under pressure in a soak that began again when the clock of the controller jumped', () => {
  const day = 24 * hour
  const soaked = aNode('a')
    .on('new', { at: noon - 20 * minute, since: noon - day - 18 * minute })
    .readyAgain(noon - 2 * day)
  const again = { soak: 10 * minute, steadySince: noon - 5 * minute }

  expect(phase(soaked.under('DiskPressure', noon - day - minute), again)).toBe('Failed')
  expect(phase(soaked.under('DiskPressure', noon - day - 18 * minute - 1), again)).toBe('Soaking')
  expect(phase(soaked.under('DiskPressure', noon - day - minute), { ...again, now: noon + 5 * minute })).toBe('Current')
})

test('a node that failed under pressure fails without a soak, too, until that pressure ends or it is assigned again', () => {
  const failedAs = ['DiskPressure']
  const node = aNode('a').on('new', { at: noon - 20 * minute, since: noon - hour })

  expect(phase(node.under('DiskPressure', noon - 19 * minute), { failedAs })).toBe('Failed')
  expect(phase(node.under('DiskPressure', noon - hour), { failedAs })).toBe('Failed')
  expect(phase(node.under('DiskPressure', noon - hour - 1), { failedAs })).toBe('Current')
  expect(phase(node.under('MemoryPressure', noon - 19 * minute), { failedAs })).toBe('Current')
  expect(phase(node, { failedAs })).toBe('Current')
})

test('a node that comes under pressure after its soak does not fail because another process has begun to watch since', () => {
  const soaked = aNode('a').on('new', { at: noon - 30 * minute })
  const begun = { soak: 5 * minute, watchedSince: noon - minute }

  expect(progress(soaked.under('DiskPressure', noon - 25 * minute), begun)).toMatchObject({
    phase: 'Soaking',
    until: noon + minute,
  })
  expect(phase(soaked.under('DiskPressure', noon - 25 * minute - 1), begun)).toBe('Failed')
})

test('a node that went down after its soak stays an outage when the time comes that its clock, a day ahead, said it had applied', () => {
  const ahead = aNode('a').on('new', { at: noon - hour, since: noon + 24 * hour })
  const fallen = ahead.notReady(noon - 30 * minute)
  const outage = { phase: 'Unreachable', pending: false }

  expect(progress(fallen, { soak: minute })).toEqual(outage)
  expect(progress(fallen, { soak: minute, now: noon + 24 * hour - minute })).toEqual(outage)
  expect(progress(fallen, { soak: minute, now: noon + 25 * hour })).toEqual(outage)
})

test('a node whose clock is a day ahead fails when it goes down in its soak and that lasts, and not for a moment', () => {
  const fallen = aNode('a')
    .on('new', { at: noon, since: noon + 24 * hour })
    .notReady(noon + 24 * hour + minute)
  const soak = 10 * minute

  expect(progress(fallen, { soak, now: noon + minute })).toMatchObject({ phase: 'Unreachable', pending: true })
  expect(phase(fallen, { soak, now: noon + 26 * minute - 1 })).toBe('Unreachable')
  expect(progress(fallen, { soak, now: noon + 26 * minute }).failure).toEqual({
    reason: 'NotReady',
    message: 'node is not Ready since 2026-11-22T12:01:00.000Z',
  })
})

test('a node whose clock is a day ahead is an outage when it went down after its soak', () => {
  const fallen = aNode('a')
    .on('new', { at: noon, since: noon + 24 * hour })
    .notReady(noon + 24 * hour + 20 * minute)

  expect(progress(fallen, { soak: 10 * minute, now: noon + hour })).toEqual({ phase: 'Unreachable', pending: false })
})

test('a node whose clock is a day ahead fails when its agent put the change back and it stays not Ready', () => {
  const undone = aNode('a')
    .rolledBackFrom('new', { at: noon })
    .notReady(noon + 24 * hour)

  expect(phase(undone, { now: noon + 30 * minute - 1 })).toBe('Unreachable')
  expect(phase(undone, { now: noon + 30 * minute })).toBe('Failed')
})

test('an assignment that a clock a year ahead stamped is due again when its agent says that it is older than another', () => {
  const error = { reason: 'AssignmentReplayed', message: 'the agent has accepted a later one' }
  const ahead = aNode('a')
    .assignedTo('new', { at: noon + 365 * 24 * hour, counter: 5 })
    .reporting('RolledBack', { counter: 9, error })

  expect(progress(ahead)).toEqual({ phase: 'Waiting', pending: true })
})

test('a node that is not Ready fails by the word of its agent that it was put back only when that lasts', () => {
  const forged = aNode('a')
    .rolledBackFrom('new', { at: noon - 5 * minute })
    .notReady(noon - minute)

  expect(progress(forged)).toEqual({ phase: 'Unreachable', pending: true, until: noon + 14 * minute })
  expect(progress(forged, { now: noon + 14 * minute }).failure?.reason).toBe('NotReady')
  expect(phase(forged.readyAgain(noon - 1000))).toBe('Failed')
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

test('a node that goes down after its soak is an outage, and holds up the wave no longer than the timeout', () => {
  const fallen = justApplied.notReady(noon - minute)

  expect(progress(fallen, { soak: minute, now: noon + 14 * minute })).toEqual({ phase: 'Unreachable', pending: false })
})

test('a node that goes down before its agent proved the digest fails though the wave has no soak', () => {
  const fallen = justApplied.reporting('Applied', { lastKnownGood: 'older' }).notReady(noon - minute)

  expect(phase(fallen, { now: noon + 14 * minute })).toBe('Failed')
})

test('a node that goes down a day after it was changed fails its commit only if its agent has not said that the trial is passed', () => {
  const changed = aNode('a').on('new', { at: noon - 24 * hour })
  const down = (lastKnownGood: string) =>
    progress(changed.reporting('Applied', { lastKnownGood }).notReady(noon - 20 * minute), {
      soak: 10 * minute,
      rolloutStart: noon - 48 * hour,
    })

  expect(down('new')).toEqual({ phase: 'Unreachable', pending: false })
  expect(down('older')).toEqual({
    phase: 'Failed',
    pending: false,
    failure: { reason: 'NotReady', message: 'node is not Ready since 2026-11-21T11:40:00.000Z' },
  })
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

test('a node that was not Ready in its soak fails only when its kubelet could report again, after all nodes were listed again', () => {
  const restored = justApplied.notReady(noon - 4 * minute)
  const since = (clock: Options) => progress(restored, { soak: 10 * minute, now: noon + 2 * minute, ...clock })

  expect(since({ listedAt: noon })).toEqual({ phase: 'Unreachable', pending: true, until: noon + 8 * minute })
  expect(since({ listedAt: noon, now: noon + 8 * minute }).failure?.reason).toBe('NotReady')
  expect(since({ listedAt: noon - 5 * minute }).failure?.reason).toBe('NotReady')
  expect(since({ listedAt: noon, failedAs: ['NotReady'] }).failure?.reason).toBe('NotReady')
})

test('an interruption after which nodes are not listed again gives a node that is not Ready in its soak a minute', () => {
  const fallen = justApplied.notReady(noon - 4 * minute)
  const since = (clock: Options) => progress(fallen, { soak: 10 * minute, listedAt: noon - hour, ...clock })

  expect(since({ steadySince: noon - 59_000 })).toMatchObject({ pending: true, until: noon + 1_000 })
  expect(since({ steadySince: noon - minute }).failure?.reason).toBe('NotReady')
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

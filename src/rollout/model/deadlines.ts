import { type Instant, isFromAhead } from './instant.ts'
import type { Assignment, NodeView } from './node-view.ts'

/** What durations are measured against. */
export interface RolloutClock {
  readonly now: Instant
  /** When the rollout under way began; at most as far ahead as work may take. */
  readonly rolloutStart: Instant
  /** Milliseconds. */
  readonly applyTimeout: number
  /** Milliseconds that a reboot may take besides; absent: none. */
  readonly bootTimeout?: number
  /** Milliseconds; absent: an agent may be silent for as long as its work may take. */
  readonly agentTimeout?: number
  /** What had failed by then is tried once more: an operator said so. Absent: nobody did. */
  readonly retriedAt?: Instant
  /** Time before it is not counted: the clock jumped then, or no process ran. Absent: it is trusted. */
  readonly steadySince?: Instant
  /** Since when the cluster has been watched. Absent: long since. */
  readonly watchedSince?: Instant
  /** When all nodes were last listed; each of their changes since was seen. Absent: long since. */
  readonly listedAt?: Instant
  /** What has soaked by then was watched to its end: what is not counted or not watched since lengthens no such soak. Absent: nothing was. */
  readonly soakedAt?: Instant
}

/** Kubernetes stamps conditions in whole seconds. */
const SECOND = 1000

/** When time alone ends that a node joins, if it has been Ready. */
export function joiningEnds(
  { createdAt }: Pick<NodeView, 'createdAt'>,
  { applyTimeout }: Pick<RolloutClock, 'applyTimeout'>,
): Instant {
  return createdAt + applyTimeout
}

/** When the assigned work counts as overdue. */
export function deadlineOf(assigned: Assignment, clock: RolloutClock): Instant {
  const { applyTimeout, bootTimeout = 0 } = clock
  return workCounts(assigned, clock) + applyTimeout + (assigned.grant === 'reboot' ? bootTimeout : 0)
}

/** When an agent that has not said anything about the assignment counts as silent. */
export function silenceEnds(assigned: Assignment, clock: RolloutClock): Instant {
  return workCounts(assigned, clock) + longestSilence(clock)
}

/** Milliseconds. An agent that begins so long after its assignment has clearly less time than others, as one that has half of it left. */
const LATE = 60_000

/** By stamps alone: whether an agent that begins at that instant begins late. Its time would be over soon, or is over. */
export function beginsLate(said: Instant, { at, copiedAt = at }: Assignment, clock: RolloutClock): boolean {
  const late = Math.min(LATE, clock.applyTimeout / 2, longestSilence(clock))
  return at !== undefined && said >= Math.max(at, copiedAt ?? at) + late
}

/** It reports before the machine goes down. */
function longestSilence({ agentTimeout = Number.POSITIVE_INFINITY, applyTimeout }: RolloutClock): number {
  return Math.min(agentTimeout, applyTimeout)
}

/** Milliseconds. An agent that refuses whatever it is assigned is written to once a minute, not without end. */
export const REFUSAL_STANDS = 60_000

/** When a new assignment is due, after the agent said that this one is older than another. One from a clock that was ahead is over. */
export function refusalEnds({ at = 0 }: Assignment, { now }: Pick<RolloutClock, 'now'>): Instant {
  return isFromAhead(at, { now, longest: REFUSAL_STANDS }) ? now : at + REFUSAL_STANDS
}

/**
 * From when on a duration that began at `since` is measured. A clock that is put forward ends no soak and breaks no deadline: nothing
 * shows that the time has really passed.
 */
export function countedFrom(since: Instant, { now, steadySince = since }: Pick<RolloutClock, 'now' | 'steadySince'>): Instant {
  return Math.max(since, Math.min(steadySince, now))
}

/** What is counted begins again in each pass; or it does so now, for the last time. */
export function isCountingNothing({ steadySince, now }: Pick<RolloutClock, 'now' | 'steadySince'>): boolean {
  return steadySince !== undefined && steadySince >= now
}

/** The same by the clocks alone: neither an outage nor a jump of the clock gives anything more time. */
export function withoutBreaks({ steadySince: _, watchedSince: __, listedAt: ___, ...clock }: RolloutClock): RolloutClock {
  return clock
}

/** Milliseconds. A kubelet that starts again may not be Ready for a moment; in a soak, or in the middle of a change, longer is a failure. */
export const BLINK = 60_000

/** When a node is not Ready for longer than that; undefined while it is Ready. A stamp that is further ahead shows no blink: it is over. */
export function blinkEnds(
  { ready, readySince }: Pick<NodeView, 'ready' | 'readySince'>,
  clock: Pick<RolloutClock, 'now' | 'steadySince'>,
): Instant | undefined {
  if (ready) return undefined
  return isFromAhead(readySince, { now: clock.now, longest: BLINK }) ? clock.now : countedFrom(readySince, clock) + BLINK
}

/**
 * It was not Ready when it got its assignment, and has not been since: what follows is no verdict on the configuration. Stamps alone do not
 * tell: they may be of two clocks, and one that was Ready then would seem to have been down before. Nor is it one that the same rollout took
 * down with another assignment: else each canary in turn could be broken, and assigned again.
 */
export function wasDownBefore(
  { ready, readySince }: NodeView,
  { nodeWas, at = Number.POSITIVE_INFINITY, copiedAt = at }: Assignment,
): boolean {
  if (ready || nodeWas === undefined || nodeWas === 'Disturbed') return false
  return readySince + SECOND <= Math.max(at, copiedAt ?? at)
}

/**
 * The latest of stamps by the node's clock, which may be wrong. None can precede the assignment. One that is a little ahead counts for
 * what it says: a clock that is two seconds ahead stretches a soak by two seconds. One that is further ahead than work may take, or is
 * no date, stands for the deadline of the work, which does not move on after an outage.
 */
export function latestOf(
  stamps: readonly Instant[],
  { assigned, clock }: { readonly assigned: Assignment; readonly clock: RolloutClock },
): Instant {
  const latest = Math.max(workBegan(assigned, clock), ...stamps)
  if (latest <= clock.now) return latest
  const isWrong = isFromAhead(latest, { now: clock.now, longest: clock.applyTimeout })
  return isWrong ? deadlineOf(assigned, withoutBreaks(clock)) : latest
}

/**
 * From when on its time is measured. What lies further ahead than work may take was stamped by a clock that only those know of who were there:
 * who began to watch later counts from then.
 */
function workCounts(assigned: Assignment, clock: RolloutClock): Instant {
  const { at = clock.now } = assigned
  const { now, applyTimeout, watchedSince = Number.NEGATIVE_INFINITY } = clock
  const counted = countedFrom(workBegan(assigned, clock), clock)
  return isFromAhead(at, { now, longest: applyTimeout }) ? Math.max(counted, Math.min(watchedSince, now)) : counted
}

/**
 * A stamp a little ahead is from a controller whose clock is ahead, before a failover: the work began just now. One that is further
 * ahead than work may take was made before a clock was put back: then the start of the rollout stands for it.
 */
function workBegan(assigned: Assignment, { now, rolloutStart, applyTimeout }: RolloutClock): Instant {
  if (assigned.at === undefined) return now
  // Before its Node was there nobody could take it.
  const at = Math.max(assigned.at, assigned.copiedAt ?? assigned.at)
  if (at <= now) return at
  return isFromAhead(at, { now, longest: applyTimeout }) ? rolloutStart : now
}

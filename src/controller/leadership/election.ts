/**
 * The rules of client-go's leader election, as decisions without I/O. All times here are of this process's own monotonic clock,
 * unless they are called wall times: those are written for people to read, and never compared with a clock of ours.
 */

/** Milliseconds; the names are client-go's. */
export interface LeaseTimings {
  /** How long others wait, from when they first saw the last renewal, before they take the lease. */
  readonly leaseDuration: number
  /** How long the holder goes on acting after the last renewal that it knows to have succeeded. */
  readonly renewDeadline: number
  /** Between renewals, and between attempts of those who failed. */
  readonly retryPeriod: number
}

export interface ElectionSettings {
  /** Of this process alone, for as long as it runs. */
  readonly identity: string
  readonly timings: LeaseTimings
}

export const DEFAULT_LEASE_TIMINGS: LeaseTimings = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 }

/** @returns what is wrong with them, if anything */
export function timingProblem({ leaseDuration, renewDeadline, retryPeriod }: LeaseTimings): string | undefined {
  if (leaseDuration <= renewDeadline)
    return `a lease duration of ${leaseDuration} ms must be greater than the renew deadline of ${renewDeadline} ms`
  if (renewDeadline <= retryPeriod * 1.2)
    return `a renew deadline of ${renewDeadline} ms must be greater than 1.2 times the retry period of ${retryPeriod} ms`
  return undefined
}

/** What stands in the Lease. */
export interface LeaseRecord {
  /** Empty: nobody leads. */
  readonly holder: string
  /** Milliseconds. */
  readonly leaseDuration: number
  /** Wall time. */
  readonly acquiredAt: number
  /** Wall time. */
  readonly renewedAt: number
  /** How often the lease changed hands. */
  readonly transitions: number
}

/** The Lease as it was read last; no record and no version when there is none. */
export interface LeaseObservation {
  readonly record?: LeaseRecord
  readonly version?: string
  /** When this version was seen first. */
  readonly since: number
}

/** What one process knows of the election. */
export interface LeaseCandidate {
  /** Of this process alone, for as long as it runs. */
  readonly identity: string
  readonly timings: LeaseTimings
  readonly observation?: LeaseObservation
  /** The Lease may be another by now. */
  readonly mustLook: boolean
  /** It asks nothing of the server before. */
  readonly restsUntil: number
  /** It believes to lead until then. */
  readonly leadsUntil: number
}

export type Move =
  | { readonly kind: 'wait'; readonly until: number }
  | { readonly kind: 'look' }
  /** Write the claim, on condition that the Lease is still at this version, or still not there. */
  | { readonly kind: 'claim'; readonly version: string | undefined }

export function aCandidate(identity: string, timings: LeaseTimings): LeaseCandidate {
  return { identity, timings, mustLook: true, restsUntil: -Infinity, leadsUntil: -Infinity }
}

export function leads({ leadsUntil }: LeaseCandidate, now: number): boolean {
  return now < leadsUntil
}

export function nextMove(candidate: LeaseCandidate, now: number): Move {
  const { observation, mustLook, restsUntil } = candidate
  if (now < restsUntil) return { kind: 'wait', until: restsUntil }
  if (!observation || mustLook) return { kind: 'look' }
  const expiry = expiryOf(observation, candidate.identity)
  return now < expiry ? { kind: 'wait', until: expiry } : { kind: 'claim', version: observation.version }
}

/** By what was observed here: the times in the record are of a clock that may be wrong by hours. */
function expiryOf({ record, since }: LeaseObservation, identity: string): number {
  const isOthers = record !== undefined && record.holder !== '' && record.holder !== identity
  return isOthers ? since + record.leaseDuration : -Infinity
}

/** What to write, at a wall time: to renew what is ours already, or to take over. */
export function claimOf({ identity, timings, observation }: LeaseCandidate, wall: number): LeaseRecord {
  const { record } = observation ?? {}
  const { leaseDuration } = timings
  if (record?.holder !== identity) {
    const transitions = record ? record.transitions + 1 : 0
    return { holder: identity, leaseDuration, acquiredAt: wall, renewedAt: wall, transitions }
  }
  // Others tell a renewal by the new version, and a server does not make one of equal content, as after a clock was set back.
  return { ...record, leaseDuration, renewedAt: Math.max(wall, record.renewedAt + 1) }
}

/** What to write, at a wall time, for the next one to take over at once. */
export function releaseOf({ observation }: LeaseCandidate, wall: number): LeaseRecord {
  const transitions = observation?.record?.transitions ?? 0
  return { holder: '', leaseDuration: 1000, acquiredAt: wall, renewedAt: wall, transitions }
}

/** The Lease was read: an answer that came at `now`. */
export function afterRead(candidate: LeaseCandidate, found: Omit<LeaseObservation, 'since'>, now: number): LeaseCandidate {
  const { observation, identity } = candidate
  const isKnown = observation !== undefined && observation.version === found.version
  const leadsUntil = found.record?.holder === identity ? candidate.leadsUntil : -Infinity
  return { ...candidate, observation: isKnown ? observation : { ...found, since: now }, mustLook: false, leadsUntil }
}

/** The claim was written. It may have been so as early as it was sent, and others may have seen it then: from there on its time counts. */
export function afterClaim(
  candidate: LeaseCandidate,
  written: Omit<LeaseObservation, 'since'>,
  { sentAt, now }: { readonly sentAt: number; readonly now: number },
): LeaseCandidate {
  const { renewDeadline, retryPeriod } = candidate.timings
  return {
    ...candidate,
    observation: { ...written, since: now },
    mustLook: false,
    restsUntil: sentAt + retryPeriod,
    leadsUntil: sentAt + renewDeadline,
  }
}

/** Somebody else wrote first; or something was heard of the Lease. */
export function afterEvent(candidate: LeaseCandidate): LeaseCandidate {
  return { ...candidate, mustLook: true, restsUntil: -Infinity }
}

/** No answer, or an error: whether anything was written is not known. */
export function afterFailure(candidate: LeaseCandidate, now: number): LeaseCandidate {
  return { ...candidate, mustLook: true, restsUntil: now + candidate.timings.retryPeriod }
}

/** It has ceased to act. */
export function resigned(candidate: LeaseCandidate): LeaseCandidate {
  return { ...candidate, leadsUntil: -Infinity }
}

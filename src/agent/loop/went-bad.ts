import { API_SERVER_AWAY, API_SERVER_LOST, CHANGED_BY_OTHERS } from '../../protocol/agent-status.ts'
import type { Disruption } from '../../protocol/desired-config.ts'
import { AgentError } from '../agent-error.ts'
import type { Outcome } from '../state/state.ts'
import type { Failure } from '../transaction/journal.ts'
import { isSettled } from './final.ts'

/** Pure: what the active configuration went bad with, and how far the way back came, as the outcome of the last assignment. */
export interface Story {
  readonly last: Outcome
  readonly now: string
}

/** The host is about to go back: from here on nothing may show the assignment as applied, and least of all when the host is well again. */
export function leaving({ last, now }: Story, because: Failure): Outcome {
  const isOver = last.phase === 'Applied' || last.phase === 'Reverted'
  if (isOver) return { ...aside(last), phase: 'Applying', since: now, error: because }
  const isForAnother = last.phase === 'Applying' && last.was !== undefined && last.error?.reason !== because.reason
  return isForAnother ? { ...last, error: because } : last
}

/** The host stays with what went bad. How the assignment stood before is kept: the host may get well by itself. */
export function stuck({ last, now }: Story, error: Failure): Outcome {
  // What is under way for another assignment goes on.
  if (!isSettled(last)) return { ...last, error }
  // Nobody sees it before the API server answers, and when that does there is nothing to go back from.
  return { ...aside(last), phase: isForContact(error) ? 'Applying' : 'Failed', since: now, error }
}

/** Going back, which this made necessary, came to nothing. */
export function couldNotGoBack(because: Failure, { reason, message }: Failure): Failure {
  const both = `${because.message}; going back to what last worked failed: ${message}`
  return { reason: isForContact(because) ? because.reason : reason, message: both }
}

/** Ways back with a reboot that may come to nothing: each takes two, there and forward again. */
const MAX_REBOOTS_IN_VAIN = 3

export function rebootedInVain(outcome: Outcome): Outcome {
  return { ...outcome, rebootsInVain: (outcome.rebootsInVain ?? 0) + 1 }
}

/** Of an assignment, kept from one attempt to the next: how often the API server was lost with it, and going back from it came to nothing. */
export function countsOf(before: Outcome | undefined): Pick<Outcome, 'losses' | 'rebootsInVain'> {
  const { losses, rebootsInVain } = before ?? {}
  return { ...(losses === undefined ? {} : { losses }), ...(rebootsInVain === undefined ? {} : { rebootsInVain }) }
}

/** Those before led away from something else, or the last way back came to something. */
export function withoutRebootsInVain({ rebootsInVain: _reboots, ...outcome }: Outcome): Outcome {
  return outcome
}

/** @throws {AgentError} what last worked does not run any more, and nothing but a reboot leads there */
export function requireFewReboots({ rebootsInVain = 0 }: Pick<Outcome, 'rebootsInVain'>, needs: Disruption): void {
  if (needs !== 'reboot' || rebootsInVain < MAX_REBOOTS_IN_VAIN) return
  const message = `the machine was rebooted for that ${rebootsInVain} times, and did not prove healthy; it is not rebooted again`
  throw new AgentError(message, { kind: 'validate', reason: 'RebootedInVain' })
}

/** Going back takes more than a restart, and waits for a grant. */
export function asking({ last, now }: Story, because: Failure, needs: Disruption): Outcome {
  if (!isSettled(last)) return { ...last, error: because }
  // Nobody can allow that but by the API server, and when that answers there is nothing to go back from.
  if (isForContact(because)) return { ...aside(last), phase: 'Applying', error: because }
  const since = isAsking(last) ? last.since : now
  return { ...aside(last), phase: 'Blocked', since, error: because, needs }
}

/** The host is back at what last worked. */
export function wentBack({ last, now }: Story, because: Failure | undefined): Outcome {
  if (!isSettled(last)) return last
  const before = recovered({ last, now }, undefined)
  const { error, needs: _needs, losses = 0, ...rest } = before
  // What waits for a grant was never tried, and is compared with the host as it is now.
  if (before.phase === 'Blocked') return { ...rest, phase: 'Applying', attempts: 0 }
  // An assignment that came to nothing before was not on the host, and is not tried again.
  if (before.phase === 'Applied' && isForContact(because))
    return { ...rest, phase: 'Applying', since: now, error: because, lost: true, losses: losses + 1 }
  const told = because && error ? { ...error, message: `${error.message}; ${because.message}` } : (because ?? error)
  return { ...rest, phase: 'RolledBack', since: now, ...(told === undefined ? {} : { error: told }) }
}

/** The API server answers before the host went back for want of it. */
export function heard({ last, now }: Story): Outcome {
  return isForContact(last.error) ? recovered({ last, now }, undefined) : last
}

export function isForContact(because: Failure | undefined): boolean {
  return because?.reason === API_SERVER_LOST || because?.reason === API_SERVER_AWAY
}

/** A change that cut the API server off gives it back with its undo, and not much later. */
const AT_ONCE = 30_000
/** An outage that comes with each attempt is none. */
const MAX_LOSSES = 3

/** The API server, which was lost with the change, or away before it, answers: the change is to blame, or that is left open. */
export function foundAgain({ last, now }: Story): Outcome {
  const { lost: _lost, ...rest } = last
  const { error } = last
  const after = Date.parse(now) - Date.parse(last.since)
  const isAtOnce = after >= 0 && after <= AT_ONCE && error?.reason !== API_SERVER_AWAY
  const isToBlame = isAtOnce || (last.losses ?? last.attempts) >= MAX_LOSSES
  return isToBlame ? { ...rest, phase: 'RolledBack', since: now } : last
}

/** The API server has answered for a while: the change gets its next attempt. */
export function tryingAgain({ last, now }: Story): Outcome {
  const { lost: _lost, error: _error, ...rest } = last
  return { ...rest, since: now }
}

/** Going back is in place, and counts after something that has yet to happen. */
export function suspended({ last }: Story, error: Failure): Outcome {
  return isSettled(last) ? { ...aside(last), phase: 'Applying', error } : { ...last, error }
}

/** Others changed what the configuration goes over, and to merge the two disturbs the node: the pool has to find a turn for it. */
export function askingToMerge({ last, now }: Story, subjects: readonly string[], needs: Disruption): Outcome {
  const message = `others have changed ${subjects.join(', ')}; the agent applies the configuration of Git when the controller allows it`
  return { ...aside(last), phase: 'Blocked', since: now, error: { reason: CHANGED_BY_OTHERS, message }, needs }
}

/** What waits for a grant is the way back, and not the assignment. */
export function isAskingToGoBack(outcome: Outcome): boolean {
  return isAsking(outcome) && !isAskingToMerge(outcome)
}

export function isAskingToMerge(outcome: Outcome): boolean {
  return isAsking(outcome) && outcome.error?.reason === CHANGED_BY_OTHERS
}

function isAsking({ phase, was }: Outcome): boolean {
  return phase === 'Blocked' && was !== undefined
}

/**
 * The host got well by itself: the assignment stands as it did.
 * @param active digest of what runs
 */
export function recovered({ last, now }: Story, active: string | undefined): Outcome {
  const { was = wasOfFirstReleases(last, active), error: _error, needs: _needs, ...rest } = last
  return was === undefined ? last : { ...rest, ...was, since: now }
}

/** They kept nothing of it: that the active configuration had been applied is all that is known. */
function wasOfFirstReleases({ phase, digest }: Outcome, active: string | undefined): Outcome['was'] {
  return phase === 'Failed' && digest !== undefined && digest === active ? { phase: 'Applied' } : undefined
}

/** What a way back that was tried before put aside stays. */
function aside({ phase, error, needs, unproved, was, kubeletStartedAt: _started, ...rest }: Outcome): Outcome {
  return { ...rest, phase, was: was ?? { phase, error, needs, unproved } }
}

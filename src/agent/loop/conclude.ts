import { KUBELET_UNIT } from '../paths.ts'
import type { Outcome } from '../state/state.ts'
import { INTERRUPTED } from '../transaction/interrupted.ts'
import type { Ending, Failure, TransactionHead } from '../transaction/journal.ts'
import { isSettled } from './final.ts'
import { couldNotGoBack, isForContact, rebootedInVain, type Story, stuck, wentBack, withoutRebootsInVain } from './went-bad.ts'

/** An assignment that takes the agent, or the machine, down this often is not tried again by itself. */
const MAX_INTERRUPTIONS = 3

/** What the end of a transaction depends on. */
export interface Undertaking extends Pick<TransactionHead, 'purpose' | 'digest' | 'because' | 'awaits'> {
  readonly activation: Pick<TransactionHead['activation'], 'restarts'>
  readonly before: Pick<TransactionHead['before'], 'healthz' | 'running'>
}

/** Pure. */
export function conclude(
  head: Undertaking,
  ending: Ending,
  { last, now, isRebooted = false }: { readonly last: Outcome | undefined; readonly now: string; readonly isRebooted?: boolean },
): Outcome {
  const base = withoutResult(last ?? { assignment: null, phase: 'Applying', since: now, attempts: 1 })
  if (head.purpose === 'repair') return last ?? { ...base, phase: 'Applying' }
  const isWayBack = head.purpose === 'fallback'
  const outcome = isWayBack
    ? afterFallback(head, ending, { last: last ?? { ...base, phase: 'Failed' }, now })
    : { ...base, ...resultOfApply(head, ending, { ...base, now }) }
  if (ending.kind === 'kept') return withoutRebootsInVain(outcome)
  return isWayBack && isRebooted ? rebootedInVain(outcome) : outcome
}

function afterFallback({ because }: Undertaking, ending: Ending, story: Story): Outcome {
  if (ending.kind === 'kept') return wentBack(story, because)
  // What made it necessary is still there, and will show again.
  if (isInterrupted(ending)) return story.last
  const isAsBefore = ending.kind === 'undone' && isForContact(because)
  return gaveUp(story, because && isAsBefore ? couldNotGoBack(because, ending.failure) : ending.failure)
}

/** While something else was assigned and is being fetched, that is what the status goes on to speak of. */
function gaveUp(story: Story, failure: Failure): Outcome {
  return isSettled(story.last) ? stuck(story, failure) : story.last
}

function withoutResult({
  error: _error,
  needs: _needs,
  reboot: _reboot,
  kubeletStartedAt: _started,
  unproved: _unproved,
  was: _was,
  lost: _lost,
  ...base
}: Outcome) {
  return base
}

function resultOfApply(
  { digest, activation, before, awaits }: Undertaking,
  ending: Ending,
  { attempts, losses = 0, now }: Pick<Outcome, 'attempts' | 'losses'> & { readonly now: string },
): Partial<Outcome> {
  if (ending.kind === 'kept') {
    const wasRestarted = activation.restarts.includes(KUBELET_UNIT) || awaits?.boot !== undefined
    const isRestarted = wasRestarted && ending.startedAt !== undefined
    const started = isRestarted ? { kubeletStartedAt: new Date(ending.startedAt ?? 0).toISOString() } : {}
    return { phase: digest === undefined ? 'Reverted' : 'Applied', since: now, ...started }
  }
  // Left as it was, at Applying, it is taken up again.
  if (isInterrupted(ending) && attempts - losses < MAX_INTERRUPTIONS) return { phase: 'Applying' }
  const failed = { since: now, error: ending.failure }
  if (ending.kind === 'undone') return { ...failed, phase: 'RolledBack' }
  if (ending.kind === 'broken') return { ...failed, phase: 'Failed' }
  return { ...failed, phase: 'Failed', unproved: { healthz: before.healthz, units: before.running } }
}

function isInterrupted(ending: Exclude<Ending, { kind: 'kept' }>): boolean {
  return ending.kind === 'undone' && ending.failure.reason === INTERRUPTED.reason
}

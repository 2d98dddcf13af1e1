import type { CordonMark } from '../../protocol/cordon-mark.ts'
import { isPastDraining, outageClock, pastDrainingAt } from '../exposure/past-draining.ts'
import { isAtWork, waitsForGrant } from '../model/agent-report.ts'
import { cannotServe } from '../model/availability.ts'
import type { Candidate } from '../model/candidate.ts'
import { type Aside, asideByMark, isOurCordon, isTheirs, isUnderDrain } from '../model/cordon.ts'
import { countedFrom } from '../model/deadlines.ts'
import type { Drain, PodVerdict, Remaining, Underway } from '../model/drain.ts'
import type { NodePods } from '../model/node-view.ts'
import { isBeingProved } from '../model/proof.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'
import { judgePod } from './judge-pod.ts'
import { type DrainContext, needsDrain } from './needs-drain.ts'

/** @returns undefined for a node that no cordon keeps from anything: most of them. */
export function drainOf(member: Candidate, context: DrainContext): Drain | undefined {
  const { node, progress } = member
  const isAway = progress.phase === 'Unreachable' || progress.phase === 'Failed'
  if (node.mark === undefined && !node.unschedulable && !isAway) return undefined
  const aside = leftOut(member, context)
  if (aside) return { kind: 'Aside', ...aside }
  const needed = needsDrain(member, context)
  if (node.mark === undefined)
    return needed && isDown(member, context)
      ? { kind: 'Aside', because: 'Down', ...(progress.until && { until: progress.until }) }
      : undefined
  if (isCalledOff(member) && (needed || isMeantStill(member, context)) && !isRepairedFirst(member)) return { kind: 'CalledOff' }
  if (!needed) return isLetGo(member) || (hasEnded(member) && !isRemembered(member)) ? { kind: 'Over' } : undefined
  if (isUnderDrain(node)) return underway(member, { ...context, mark: node.mark })
  if (isRepairedFirst(member)) return undefined
  return node.mark.state === 'Ours' || node.mark.state === 'Found' ? { kind: 'Over' } : undefined
}

/**
 * A person took our cordon away, and meant this very drain. Who took away their own is done with the node, and what was meant for
 * an older content is over with it.
 */
function isCalledOff({ node: { unschedulable, mark }, wanted }: Candidate): boolean {
  return !unschedulable && mark?.state === 'Ours' && wanted.kind === 'config' && mark.digest === wanted.digest
}

/** It is not its turn now, while it is down for example, and will be drained for the same when it is. */
function isMeantStill({ assigned }: Candidate, { rollout: { state } }: DrainContext): boolean {
  return !assigned && state !== 'Halted' && state !== 'Blocked'
}

function leftOut(member: Candidate, context: DrainContext): Aside | undefined {
  const { progress, assigned } = member
  if (progress.phase === 'Held' || progress.phase === 'Unmanaged' || member.wanted.kind === 'problem') return undefined
  const asked = { policy: context.pool.policy, now: context.now }
  if (isTheirs(member, asked) && !assigned) return { because: 'Cordoned' }
  const aside = asideByMark(member, asked)
  return aside && needsDrain(member, context) ? aside : undefined
}

/** An outage like any other: what it would be drained for comes once it is back. */
function isDown(member: Candidate, context: DrainContext): boolean {
  return !member.node.ready && !member.broken && !isPastDraining(member, outageClock(context))
}

/**
 * The work that the node was cordoned for is done, or was not begun. A node that is not healthy stays cordoned, since pods would
 * not run on it. Nor would they for long on one that is being deleted. Where the cordon is not ours, only the mark goes.
 */
function hasEnded(member: Candidate): boolean {
  const { node, report, assigned, progress } = member
  if (node.leaving) return false
  if (isAtWork(node, report) || cannotServe({ node, report }) || isRepairedFirst(member)) return false
  if (progress.phase === 'Held') return true
  if (!node.ready && isOurCordon(node)) return false
  if (waitsForGrant(node, report)) return true
  if (!assigned) return !isBeingProved(node, report)
  return progress.phase === 'Current' || progress.phase === 'Soaking' || report?.phase === 'RolledBack'
}

/** A person took the cordon away after the work for which it was drained. A cordon that is set later is theirs. */
function isLetGo({ node, report, assigned, progress }: Candidate): boolean {
  const { unschedulable, mark, leaving } = node
  if (unschedulable || leaving || !assigned || (mark?.state !== 'Ours' && mark?.state !== 'Found')) return false
  return progress.phase === 'Failed' || !isAtWork(node, report)
}

/** What repairs it comes before its mark counts, and before anything is done to sound nodes. */
function isRepairedFirst({ node, assigned, broken }: Candidate): boolean {
  return broken && !assigned && !node.ready
}

/**
 * That its drain was given up, or called off, still counts when its turn comes again. What a node that joins was uncordoned rather than
 * drained for counts until it has something: without the mark it would be drained for that again at once.
 */
function isRemembered({ node, wanted, assigned }: Candidate): boolean {
  const { state, digest } = node.mark ?? {}
  if (state === 'Released' && node.assigned === undefined) return true
  return (state === 'Skipped' || state === 'Released') && !assigned && wanted.kind === 'config' && digest === wanted.digest
}

function underway(member: Candidate, { pool, now, mark }: DrainContext & { readonly mark: CordonMark }): Drain {
  const { drain } = pool.policy
  const clock = outageClock({ pool, now })
  if (isPastDraining(member, clock)) return { kind: 'Done' }
  const seen = remainingOf(pool.pods?.get(member.node.name), pool)
  if (seen.remaining?.length === 0) return { kind: 'Done' }
  // A mark from the future was made by a clock that is ahead of ours, and is stamped again.
  const since = Math.min(mark.at, now)
  const deadline = countedFrom(since, clock) + drain.timeout
  if (now >= deadline && drain.onTimeout === 'Proceed') return { kind: 'Done' }
  if (now >= deadline && drain.onTimeout === 'Skip') return { kind: 'GivenUp' }
  const pastAt = pastDrainingAt(member, clock)
  return { kind: 'Underway', since, deadline, ...(pastAt !== undefined && { pastAt }), ...seen }
}

function remainingOf(found: NodePods | undefined, { policy }: PoolSnapshot): Pick<Underway, 'remaining' | 'trouble'> {
  if (found === undefined) return {}
  if (found.kind === 'unknown') return { trouble: found.why }
  const remaining = found.pods.flatMap((pod): Remaining[] => {
    const verdict = judgePod(pod, policy.drain)
    return isLeft(verdict) ? [] : [{ pod, verdict }]
  })
  return { remaining }
}

function isLeft(verdict: PodVerdict): verdict is { readonly kind: 'Leave' } {
  return verdict.kind === 'Leave'
}

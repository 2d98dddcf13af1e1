import { downForLongAt, outageClock } from '../exposure/past-draining.ts'
import { alreadyRuns, isAtWork } from '../model/agent-report.ts'
import { isUnavailable } from '../model/availability.ts'
import { isForeignCordon, isOurCordon, isUnderDrain } from '../model/cordon.ts'
import { blinkEnds } from '../model/deadlines.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { isBeingProved } from '../model/proof.ts'

/**
 * It counts as unavailable already, but no work of ours disturbs it, and its pods may still run. To change it takes no place from nodes that
 * are available, but no more of them change at once than may be unavailable.
 */
export function isIdle(member: Member, state: Pick<PoolState, 'pool' | 'now'>): boolean {
  return isIdleUnderCordon(onceShown(member)) || isToBeShown(member) || isDownForAMoment(member, state)
}

/** Somebody cordoned it, and nothing else makes it unavailable: what we drained it for, if anything, is over. */
export function isIdleUnderCordon({ node, report, drain }: Member): boolean {
  const isTheirs = isForeignCordon(node) || (drain?.kind === 'Over' && !isOurCordon(node))
  return isTheirs && !isUnavailable({ ...node, unschedulable: false }, report)
}

/** That its kubelet has a heartbeat, or that pods run on it, is still to be shown, and nothing else makes it unavailable. */
function isToBeShown(member: Member): boolean {
  const { node, report } = onceShown(member)
  return node !== member.node && !isUnavailable(node, report)
}

function onceShown(member: Member): Member {
  const { node, report } = member
  const isUnproved = isBeingProved(node, report)
  if (!node.staleReady && !isUnproved) return member
  return { ...member, node: { ...node, staleReady: undefined, proof: isUnproved ? undefined : node.proof } }
}

/**
 * Not Ready, but not for so long that Kubernetes has given its pods up. It may be back any moment, and others with it. One that was restored
 * served as before, and may blink; if it is not Ready for longer, the change that failed on it may have broken it.
 */
function isDownForAMoment({ node, report }: Member, state: Pick<PoolState, 'pool' | 'now'>): boolean {
  if (node.ready || isUnderDrain(node) || isAtWork(node, report) || report?.phase === 'Failed') return false
  const [{ now }, clock] = [state, outageClock(state)]
  if (report?.phase === 'RolledBack' && now >= (blinkEnds(node, clock) ?? now)) return false
  return now < (downForLongAt(node, clock) ?? now)
}

/** It counts as at work until its agent reports, but it runs what it is assigned: only its next content would disturb it. */
export function isServing({ node, report }: Member): boolean {
  const { ready, unschedulable, assigned, status } = node
  return ready && !unschedulable && report === undefined && assigned !== undefined && alreadyRuns(assigned.digest, status)
}

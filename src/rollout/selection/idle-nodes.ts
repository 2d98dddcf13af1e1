import { pastDrainingAt } from '../exposure/eligible.ts'
import { alreadyRuns, isAtWork, isFailure } from '../model/agent-report.ts'
import { isUnavailable } from '../model/availability.ts'
import { isForeignCordon, isOurCordon, isUnderDrain } from '../model/cordon.ts'
import type { Member, PoolState } from '../model/pool-state.ts'

/**
 * It counts as unavailable already, but no work of ours disturbs it, and its pods may still run. To change it takes no place from nodes that
 * are available, but no more of them change at once than may be unavailable.
 */
export function isIdle(member: Member, state: Pick<PoolState, 'pool' | 'now'>): boolean {
  return isIdleUnderCordon(withHeartbeat(member)) || isReadyByAnOldHeartbeat(member) || isDownForAMoment(member, state)
}

/** Somebody cordoned it, and nothing else makes it unavailable: what we drained it for, if anything, is over. */
export function isIdleUnderCordon({ node, report, drain }: Member): boolean {
  const isTheirs = isForeignCordon(node) || (drain?.kind === 'Over' && !isOurCordon(node))
  return isTheirs && !isUnavailable({ ...node, unschedulable: false }, report)
}

/** It is Ready by a heartbeat of the kubelet before, and nothing else makes it unavailable. */
function isReadyByAnOldHeartbeat(member: Member): boolean {
  const { node, report } = withHeartbeat(member)
  return member.node.staleReady === true && !isUnavailable(node, report)
}

function withHeartbeat(member: Member): Member {
  return member.node.staleReady ? { ...member, node: { ...member.node, staleReady: undefined } } : member
}

/** Not Ready, but not for so long that Kubernetes has given its pods up. It may be back any moment, and others with it. */
function isDownForAMoment({ node, report }: Member, { pool, now }: Pick<PoolState, 'pool' | 'now'>): boolean {
  if (node.ready || isUnderDrain(node) || isAtWork(node, report) || isFailure(report)) return false
  return now < (pastDrainingAt(node, pool.policy) ?? now)
}

/** It counts as at work until its agent reports, but it runs what it is assigned: only its next content would disturb it. */
export function isServing({ node, report }: Member): boolean {
  const { ready, unschedulable, assigned, status } = node
  return ready && !unschedulable && report === undefined && assigned !== undefined && alreadyRuns(assigned.digest, status)
}

import { isAtWork } from '../model/agent-report.ts'
import type { Candidate } from '../model/candidate.ts'
import type { Instant } from '../model/instant.ts'
import type { NodeView } from '../model/node-view.ts'
import type { RolloutPolicy } from '../model/policy.ts'
import type { NodeTarget } from '../model/snapshot.ts'

/**
 * Not Ready, and not about to be: its kubelet can end no pod, so a drain would never end, and what mends it would never reach it.
 * After so long Kubernetes itself has given its pods up. One that a rollout has left so, and that no work goes on on, or whose drain
 * is over without having ended, need not wait.
 */
export function isPastDraining(
  { node, report, wanted, broken }: Candidate,
  { now, policy }: { readonly now: Instant; readonly policy: Pick<RolloutPolicy, 'applyTimeout'> },
): boolean {
  const at = pastDrainingAt(node, policy)
  if (at === undefined) return false
  return now >= at || (broken && (!isAtWork(node, report) || wasUncordoned(node, wanted)))
}

/** So long that Kubernetes has given its pods up. */
export function isDownForLong(
  node: NodeView,
  { policy, now }: { readonly policy: Pick<RolloutPolicy, 'applyTimeout'>; readonly now: Instant },
): boolean {
  return now >= (pastDrainingAt(node, policy) ?? Number.POSITIVE_INFINITY)
}

/** When time alone makes it so; undefined while the node is Ready. A machine whose kubelet has never reported has no pods to wait for. */
export function pastDrainingAt(
  { ready, readySince, kubeletVersion }: NodeView,
  { applyTimeout }: Pick<RolloutPolicy, 'applyTimeout'>,
): Instant | undefined {
  if (ready) return undefined
  return kubeletVersion === '' ? readySince : readySince + applyTimeout
}

/** By a person, or because it took too long: to cordon it for the same content again would be a fight. */
function wasUncordoned({ unschedulable, mark }: NodeView, wanted: NodeTarget): boolean {
  return !unschedulable && wanted.kind === 'config' && mark?.digest === wanted.digest
}

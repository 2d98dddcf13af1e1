import { isAtWork } from '../model/agent-report.ts'
import type { Candidate } from '../model/candidate.ts'
import { blinkEnds } from '../model/deadlines.ts'
import type { Instant } from '../model/instant.ts'
import type { NodeView } from '../model/node-view.ts'
import type { RolloutPolicy } from '../model/policy.ts'
import type { NodeTarget } from '../model/snapshot.ts'

type Timeouts = Pick<RolloutPolicy, 'applyTimeout'>

interface At {
  readonly now: Instant
  readonly policy: Timeouts
}

/** Not Ready, and not about to be: its kubelet can end no pod, so a drain would never end, and what repairs it would never reach it. */
export function isPastDraining(candidate: Candidate, { now, policy }: At): boolean {
  return now >= (pastDrainingAt(candidate, { now, policy }) ?? Number.POSITIVE_INFINITY)
}

function isLeftBroken({ node, report, broken }: Candidate): boolean {
  return broken && !isAtWork(node, report)
}

/**
 * When time alone makes it so; undefined while the node is Ready. One that a rollout has left broken, and that no work goes on on, need only
 * be down for longer than a blink: its pods run on through that. One whose drain is over without having ended need not wait.
 */
export function pastDrainingAt(candidate: Candidate, { now, policy }: At): Instant | undefined {
  const { node, wanted, broken } = candidate
  const [at, blinked] = [downForLongAt(node, policy), blinkEnds(node, { now })]
  if (at === undefined || blinked === undefined || !broken) return at
  if (wasUncordoned(node, wanted)) return Math.min(node.readySince, blinked)
  return isLeftBroken(candidate) ? Math.min(at, blinked) : at
}

/** So long that Kubernetes has given its pods up. */
export function isDownForLong(node: NodeView, { policy, now }: { readonly policy: Timeouts; readonly now: Instant }): boolean {
  return now >= (downForLongAt(node, policy) ?? Number.POSITIVE_INFINITY)
}

/** Undefined while the node is Ready. A machine whose kubelet has never reported has no pods to wait for. */
export function downForLongAt({ ready, readySince, kubeletVersion }: NodeView, { applyTimeout }: Timeouts): Instant | undefined {
  if (ready) return undefined
  return kubeletVersion === '' ? readySince : readySince + applyTimeout
}

/** By a person, or because it took too long: to cordon it for the same content again would be a fight. */
function wasUncordoned({ unschedulable, mark }: NodeView, wanted: NodeTarget): boolean {
  return !unschedulable && wanted.kind === 'config' && mark?.digest === wanted.digest
}

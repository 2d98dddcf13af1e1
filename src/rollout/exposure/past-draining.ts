import { isAtWork } from '../model/agent-report.ts'
import type { Candidate } from '../model/candidate.ts'
import { blinkEnds, countedFrom, type RolloutClock } from '../model/deadlines.ts'
import type { Instant } from '../model/instant.ts'
import type { NodeView } from '../model/node-view.ts'
import type { PoolContext } from '../model/pool-state.ts'
import type { NodeTarget } from '../model/snapshot.ts'

type Clock = Pick<RolloutClock, 'now' | 'applyTimeout' | 'steadySince'>

/** What the time for which a node is down is measured against, whatever the pool rolls out. */
export function outageClock({ pool: { policy, steadySince }, now }: Pick<PoolContext, 'pool' | 'now'>): Clock {
  return { now, applyTimeout: policy.applyTimeout, ...(steadySince !== undefined && { steadySince }) }
}

/** Not Ready, and not about to be: its kubelet can end no pod, so a drain would never end, and what repairs it would never reach it. */
export function isPastDraining(candidate: Candidate, clock: Clock): boolean {
  return clock.now >= (pastDrainingAt(candidate, clock) ?? Number.POSITIVE_INFINITY)
}

function isLeftBroken({ node, report, broken }: Candidate): boolean {
  return broken && !isAtWork(node, report)
}

/**
 * When time alone makes it so; undefined while the node is Ready. One that a rollout has left broken, and that no work goes on on, need only
 * be down for longer than a blink: its pods run on through that. One whose drain is over without having ended need not wait.
 */
export function pastDrainingAt(candidate: Candidate, clock: Clock): Instant | undefined {
  const { node, wanted, broken } = candidate
  const [at, blinked] = [downForLongAt(node, clock), blinkEnds(node, clock)]
  if (at === undefined || blinked === undefined || !broken) return at
  if (wasUncordoned(node, wanted)) return Math.min(node.readySince, blinked)
  return isLeftBroken(candidate) ? Math.min(at, blinked) : at
}

/** So long that Kubernetes has given its pods up. */
export function isDownForLong(node: NodeView, clock: Clock): boolean {
  return clock.now >= (downForLongAt(node, clock) ?? Number.POSITIVE_INFINITY)
}

/** Undefined while the node is Ready. A machine whose kubelet has never reported has no pods to wait for. */
export function downForLongAt({ ready, readySince, kubeletVersion }: NodeView, clock: Clock): Instant | undefined {
  return !ready && kubeletVersion === '' ? readySince : podsGivenUpAt({ ready, readySince }, clock)
}

/** When Kubernetes has given the pods of a node up that is not Ready; undefined while it is Ready. */
export function podsGivenUpAt({ ready, readySince }: Pick<NodeView, 'ready' | 'readySince'>, clock: Clock): Instant | undefined {
  return ready ? undefined : countedFrom(readySince, clock) + clock.applyTimeout
}

/** By a person, or because it took too long: to cordon it for the same content again would be a fight. */
function wasUncordoned({ unschedulable, mark }: NodeView, wanted: NodeTarget): boolean {
  return !unschedulable && wanted.kind === 'config' && mark?.digest === wanted.digest
}

import type { AgentStatus } from '../../protocol/agent-status.ts'
import type { NodePhase } from '../../protocol/node-pool.ts'
import { lateFrom, reportedAgainAt, silentFrom } from './after-outage.ts'
import { deadlineOf, type RolloutClock, withoutBreaks } from './deadlines.ts'
import type { Instant } from './instant.ts'
import { type Failure, failed, type NodeProgress } from './node-progress.ts'
import type { Assignment, NodeView } from './node-view.ts'
import type { Proof } from './proof.ts'
import type { NodeTarget } from './snapshot.ts'
import { isInRollout } from './wanted-assignment.ts'

/** What content that is applied has to show on a node. */
export interface Proving {
  /** Milliseconds that the node must stay healthy before it counts as Current. */
  readonly soak: number
  /** How it stands with the pod that has to run on it; absent: none has to. */
  readonly proof?: Proof | undefined
  /** False: the target is no other content than the stable revision. */
  readonly changes?: boolean
  /** The reasons of its failures that the pool remembers; absent: none. */
  readonly failedAs?: readonly string[] | undefined
}

/** A node that is assigned what is wanted of it. */
export interface AssignedNode {
  readonly node: NodeView
  readonly assigned: Assignment
  readonly wanted: Extract<NodeTarget, { kind: 'config' }>
  readonly report: AgentStatus | undefined
  readonly context: RolloutClock & Proving
}

interface Awaited {
  readonly phase: NodePhase
  readonly failure: Failure
}

export function untilDeadline(subject: AssignedNode, awaited: Awaited): NodeProgress {
  return pendingUntil(lateFrom, awaited, subject)
}

/** For an agent that has not said anything. */
export function untilSilent(subject: AssignedNode, awaited: Awaited): NodeProgress {
  return pendingUntil(silentFrom, awaited, subject)
}

/** For what the kubelet still has to report. */
export function untilReported(subject: AssignedNode, awaited: Awaited): NodeProgress {
  return pendingUntil((assigned, clock) => Math.max(deadlineOf(assigned, clock), reportedAgainAt(clock)), awaited, subject)
}

function pendingUntil(
  untilOf: (assigned: Assignment, clock: RolloutClock) => Instant,
  { phase, failure }: Awaited,
  { assigned, context }: AssignedNode,
): NodeProgress {
  // What an earlier rollout assigned, and failed there, is to be tried once more: it is waited for until its time is over.
  const until = untilOf(assigned, isInRollout(assigned, context) ? clockFor(failure.reason, context) : context)
  return context.now < until ? { phase, pending: true, until } : failed(failure)
}

/** What the pool remembers to have failed so had its time. */
export function clockFor(reason: string, context: AssignedNode['context']): RolloutClock {
  return context.failedAs?.includes(reason) ? withoutBreaks(context) : context
}

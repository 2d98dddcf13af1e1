import type { AgentStatus } from '../../protocol/agent-status.ts'
import type { NodeProof } from '../../protocol/node-proof.ts'
import { reportedAgainAt } from '../model/after-outage.ts'
import { countedFrom, type RolloutClock } from '../model/deadlines.ts'
import type { NodeView, ProofPod, ProofPods } from '../model/node-view.ts'
import type { ProofPolicy } from '../model/policy.ts'
import type { Proof } from '../model/proof.ts'
import { proofRecord } from '../model/proof.ts'
import { proofImage } from './image.ts'

export interface ProofContext {
  readonly policy: ProofPolicy | undefined
  readonly proofs: ProofPods | undefined
  readonly report: AgentStatus | undefined
  readonly clock: RolloutClock
}

/** @returns undefined when no pod has to prove what the node is assigned. */
export function judgeProof(node: NodeView, { policy, proofs, report, clock }: ProofContext): Proof | undefined {
  const record = proofRecord(node, report)
  if (!record) return undefined
  const { state, endedAt = record.assignedAt, message = '' } = record
  if (state === 'Passed') return { kind: 'Passed', at: endedAt, isNoted: true }
  if (state === 'Failed') return { kind: 'Failed', at: endedAt, isNoted: true, message }
  if (!policy || proofImage(node, policy) === undefined) return passed(clock)
  const pod = podFor(record, proofs?.kind === 'known' ? proofs.pods.get(node.name) : undefined)
  return pod ? judgePod(pod, { node, record, policy, clock }) : { kind: 'Underway' }
}

/** One that was made for an earlier assignment proves nothing. */
function podFor({ digest, assignedAt }: NodeProof, pod: ProofPod | undefined): ProofPod | undefined {
  return pod?.digest === digest && pod.assignedAt === assignedAt ? pod : undefined
}

interface PodContext {
  readonly node: NodeView
  readonly record: NodeProof
  readonly policy: ProofPolicy
  readonly clock: RolloutClock
}

/** By what it runs, which a commit may have changed for later ones. */
function judgePod(pod: ProofPod, { node, record, policy, clock }: PodContext): Proof {
  const { state, hasToEnd, startedAt, message = 'its kubelet says nothing about the pod' } = pod
  if (state === 'Succeeded' || (state === 'Running' && !hasToEnd)) return passed(clock)
  if (pod.hasNoRoom && !hasShrunk(node, record)) return passed(clock)
  if (pod.wasEvicted && isPressedAsBefore(node, record)) return passed(clock)
  if (state === 'Failed') return failed(`the pod that proves the node failed: ${message}`, clock)
  const until = countedFrom(Math.min(startedAt, clock.now), clock) + policy.timeout
  if (clock.now < until) return { kind: 'Underway', pod, until }
  // A kubelet whose watch is from before a restore of etcd is shown no pod that was made before the server had counted as far as then: it gets another.
  if (pod.message === undefined && clock.now < reportedAgainAt(clock)) return { kind: 'Underway' }
  return failed(
    `the pod that proves the node has not ${hasToEnd ? 'ended' : 'started'} within ${policy.timeout / 1000} s: ${message}`,
    clock,
  )
}

/** A node that was full before the change takes no other pod after it: that says nothing about the change. */
function hasShrunk({ podCapacity }: NodeView, record: NodeProof): boolean {
  return podCapacity !== undefined && record.podCapacity !== undefined && podCapacity < record.podCapacity
}

/** Its kubelet took no pod before the change either, by what was noted then: stamps of a pressure are of the clock of the node. */
function isPressedAsBefore({ pressures = [] }: NodeView, { pressures: before = [] }: NodeProof): boolean {
  return before.length > 0 && pressures.every(({ type }) => before.includes(type))
}

function passed({ now }: RolloutClock): Proof {
  return { kind: 'Passed', at: now, isNoted: false }
}

function failed(message: string, { now }: RolloutClock): Proof {
  return { kind: 'Failed', at: now, isNoted: false, message }
}

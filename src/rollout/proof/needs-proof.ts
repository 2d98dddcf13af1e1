import { disruptionOf } from '../exposure/eligible.ts'
import { alreadyRuns } from '../model/agent-report.ts'
import type { Candidate } from '../model/candidate.ts'
import type { PoolContext } from '../model/pool-state.ts'
import { proofImage } from './image.ts'

/**
 * Whether a pod has to run on the node after the assignment that it gets now. Content that the pool has completed before is known to work:
 * neither a way back nor a node that joins waits for a pod.
 */
export function needsProof(member: Candidate, { pool, rollout }: PoolContext): boolean {
  const { node, report, wanted, exposure } = member
  const { proof: policy } = pool.policy
  if (wanted.kind === 'problem' || exposure.content !== 'target' || rollout.proven) return false
  if (proofImage(node, policy) === undefined) return false
  // What was never proved, or was found wanting, is no proved content though the node runs it.
  if (node.proof?.digest === wanted.digest && node.proof.state !== 'Passed') return true
  return policy?.mode === 'Always' ? !alreadyRuns(wanted.digest, report) : disruptionOf(member) !== 'none'
}

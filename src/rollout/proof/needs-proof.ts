import { disruptionOf } from '../exposure/disruption.ts'
import { alreadyRuns } from '../model/agent-report.ts'
import type { Candidate } from '../model/candidate.ts'
import type { PoolContext } from '../model/pool-state.ts'
import { proofImage } from './image.ts'

/**
 * Whether a pod has to run on the node after the assignment that it gets now. Content that the pool has completed before is known to work:
 * neither a way back nor a node that joins waits for a pod.
 */
export function needsProof(member: Candidate, { pool, rollout }: PoolContext): boolean {
  const { node, report, wanted, exposure, reboot } = member
  const { proof: policy } = pool.policy
  if (wanted.kind === 'problem' || proofImage(node, policy) === undefined) return false
  // Whatever it runs: a machine that starts again may have lost what pods need.
  if (reboot !== undefined) return true
  if (exposure.content !== 'target' || rollout.proven) return false
  // What was never proved there, or was found wanting, is no proved content though the node runs it.
  const isTheSame = node.proof?.digest === wanted.digest
  if (isTheSame || alreadyRuns(wanted.digest, report)) return !isTheSame || node.proof?.state !== 'Passed'
  return policy?.mode === 'Always' || disruptionOf(member) !== 'none'
}

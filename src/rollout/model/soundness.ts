import type { Candidate } from './candidate.ts'
import type { RolloutClock } from './deadlines.ts'
import { isEvidence, isHealed } from './evidence.ts'
import type { Soundness } from './node-view.ts'
import { hasFailedProof } from './proof.ts'

/** What has to be known about a node once it is assigned the next. */
export function soundnessOf(member: Candidate, clock: RolloutClock): Soundness | undefined {
  if (isUnsound(member)) return { unsound: true }
  return isTakenDown(member, clock) ? { tookDown: true } : undefined
}

/**
 * It is Ready, and what it had before has left it so that it does not serve: its agent could not restore it, or no pod runs. When it gets the
 * same once more, or what this rollout wants of it since its labels changed, what was so before it got that counts.
 */
function isUnsound({ node, report, wanted, isExposed }: Candidate): boolean {
  const { assigned } = node
  if (isExposed || (wanted.kind === 'config' && wanted.digest === assigned?.digest))
    return assigned?.unsound === true && !isHealed({ node, report })
  return node.ready && (report?.phase === 'Failed' || hasFailedProof(node, report))
}

/** The rollout under way did it: else each canary in turn could be broken, and assigned anew as its labels change. */
function isTakenDown({ node, report, isExposed }: Candidate, clock: RolloutClock): boolean {
  return isExposed && !node.ready && !node.shutDown && isEvidence({ node, report }, clock)
}

import { disruptionOf } from '../exposure/disruption.ts'
import { isEligible } from '../exposure/eligible.ts'
import type { Blocker } from '../model/blocker.ts'
import type { Candidate } from '../model/candidate.ts'
import { isUnderDrain } from '../model/cordon.ts'
import type { Instant } from '../model/instant.ts'
import type { Rollout } from '../model/rollout.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'
import { mustDrain } from './requirement.ts'

export interface DrainContext {
  readonly pool: PoolSnapshot
  readonly rollout: Rollout
  readonly now: Instant
  /** Why nothing begins now, if so. */
  readonly blocker: () => Blocker | undefined
}

/** It is its turn for a change before which its pods go. */
export function needsDrain(member: Candidate, context: DrainContext): boolean {
  const { pool, rollout } = context
  if (rollout.state === 'Halted' || rollout.state === 'Blocked' || !isEligible(member)) return false
  return mustDrain(pool.policy, disruptionOf(member)) && !hasBlocker(member, context)
}

/** A drain that was begun for this very content ends; for anything newer it would be a beginning. */
function hasBlocker({ node, wanted, progress }: Candidate, { blocker }: DrainContext): boolean {
  if (!isUnderDrain(node) || wanted.kind === 'problem') return false
  const found = blocker()
  if (found === undefined || (found.sparesJoining && progress.phase === 'Joining')) return false
  return found.stopsDrains === true || node.mark?.digest !== wanted.digest
}

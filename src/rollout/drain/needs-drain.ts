import type { Restraint } from '../blockers/blocker.ts'
import { disruptionOf, isDue, type Turn } from '../exposure/eligible.ts'
import type { Candidate } from '../model/candidate.ts'
import type { Instant } from '../model/instant.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'
import type { Run } from '../target/rollout.ts'
import { isUnderDrain } from './cordon.ts'
import { mustDrain } from './requirement.ts'

export interface DrainContext extends Turn {
  readonly pool: PoolSnapshot
  readonly run: Run
  readonly now: Instant
  /** Why nothing begins now, if so. */
  readonly restraint: () => Restraint | undefined
}

/** It is its turn for a change before which its pods go. */
export function needsDrain(member: Candidate, context: DrainContext): boolean {
  const { pool, run } = context
  if (run.state === 'Halted' || run.state === 'Withheld' || !isDue(member, context)) return false
  return mustDrain(pool.policy, disruptionOf(member)) && !isRestrained(member, context)
}

/** A drain that was begun for this very content ends; for anything newer it would be a beginning. */
function isRestrained({ node, wanted, standing }: Candidate, { restraint }: DrainContext): boolean {
  if (!isUnderDrain(node) || wanted.kind === 'problem') return false
  const found = restraint()
  if (found === undefined || (found.sparesJoining && standing.phase === 'Joining')) return false
  return found.stopsDrains === true || node.mark?.digest !== wanted.digest
}

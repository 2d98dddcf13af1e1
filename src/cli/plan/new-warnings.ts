import { formatProblem, type Problem } from '../../repo/problem.ts'
import type { JudgedFleet } from '../read-fleet.ts'

/** What a change is warned of, and the fleet was not before: an entry each. */
export function newWarnings(after: JudgedFleet, before: JudgedFleet): readonly string[] {
  const known = new Set(before.problems.map(keyOf))
  return after.problems.filter((problem) => problem.severity === 'warning' && !known.has(keyOf(problem))).map(formatProblem)
}

/** Lines may have moved, also those that a message names. */
function keyOf({ reason, at, message }: Problem): string {
  return JSON.stringify([reason, at.file, message.replace(/:\d+:\d+/g, '')])
}

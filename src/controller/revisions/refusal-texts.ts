import { shortRevision } from '../../protocol/revision-id.ts'
import type { CompiledFleet } from '../fleet/compiled-fleet.ts'

/** How many problems of an invalid commit a condition shows; `nodewave validate` shows all. */
const SHOWN_PROBLEMS = 3
/** Characters of each. */
const MAX_PROBLEM = 1000

export function problemText({ commit, problems }: CompiledFleet): string {
  return `commit "${shortRevision(commit, 12)}" is invalid and was not accepted:${listed(problems)}`
}

/** Of a commit that was accepted before, too. */
export function missingText(commit: string, problems: readonly string[]): string {
  return `commit "${shortRevision(commit, 12)}" is not accepted as its Secrets are; nodes keep what they have:${listed(problems)}`
}

function listed(problems: readonly string[]): string {
  const shown = problems
    .slice(0, SHOWN_PROBLEMS)
    .map((problem) => problem.slice(0, MAX_PROBLEM))
    .join('\n')
  const more = problems.length > SHOWN_PROBLEMS ? `\nand ${problems.length - SHOWN_PROBLEMS} more` : ''
  // A table of events shows the first line only.
  return `${problems.length === 1 ? ' ' : '\n'}${shown}${more}`
}

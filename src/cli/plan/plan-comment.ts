import { cutLines } from '../../forge/pull-request/cut-lines.ts'
import { code, escaped } from '../../forge/pull-request/markdown.ts'
import { cutDescription } from '../../forge/status/cut-description.ts'
import type { PlanVerdict } from './plan-verdict.ts'

export interface CommentParts {
  /** Name of the status beside the commit, and of the comment. */
  readonly context: string
  readonly verdict: PlanVerdict
  /** Markdown: the plan, or what is wrong. */
  readonly details: string
  readonly head: string
  /** Where the whole plan is; undefined outside of CI. */
  readonly job: string | undefined
}

/** Characters. A message may quote a value of the repository, of any length. */
const LONGEST_VERDICT = 1000

/** By it the comment is found again. */
export function markerOf(context: string): string {
  return `<!-- nodewave plan: ${context} -->`
}

/** Pure. The plan as a comment of at most so many bytes, cut between lines. */
export function planComment({ context, verdict, details, head, job }: CommentParts, longest: number): string {
  const before = `${markerOf(context)}\n**${verdict.passes ? 'Passes' : 'Fails'}:** ${escaped(cutDescription(verdict.text, LONGEST_VERDICT))}\n\n`
  const where = job === undefined ? '' : ` by [this job](${job})`
  const after = `\n---\n${code(context)} of commit ${code(head.slice(0, 7))}${where}\n`
  const room = longest - Buffer.byteLength(before + after)
  return before + cutLines(details, { room, notice: notice(job) }) + after
}

function notice(job: string | undefined): string {
  return `\n\n**The rest is left out: the comment would be too long.** The whole plan is in ${job === undefined ? 'the output of the command' : `the output and the artefacts of [the job](${job})`}.\n`
}

import { putComment } from '../../forge/pull-request/put-comment.ts'
import { cutDescription } from '../../forge/status/cut-description.ts'
import type { CliIo } from '../cli-io.ts'
import { repositoryFolder } from '../repository-folder.ts'
import { forgeClients, forgeToken } from './forge-clients.ts'
import { type JudgedChange, judgeChange, type KubeletOptions } from './judge-change.ts'
import type { PlanInput } from './make-plan.ts'
import { markerOf, planComment } from './plan-comment.ts'
import { readPullRequest } from './pull-request-change.ts'
import { pullRequestJob } from './pull-request-place.ts'

export interface PullRequestOptions {
  /** Its URL; `true`: that of the CI job. */
  readonly pr: string | true
  readonly prContext: string
  readonly insecureHttp?: boolean
}

/** Milliseconds for all that is asked of the forge. */
const DEADLINE = 600_000

/** Plans a pull request, and says so on it: in one comment, and in a status beside its newest commit. @throws {Error} */
export async function planPullRequest(
  io: CliIo,
  { path, options }: { readonly path: string; readonly options: PullRequestOptions & PlanInput['options'] & KubeletOptions },
): Promise<JudgedChange> {
  const context = checkedContext(options.prContext)
  const job = await pullRequestJob(options.pr, io.env)
  const token = forgeToken(io, job, options)
  const { pullRequests, statuses } = forgeClients(io, job, token)
  const signal = AbortSignal.timeout(DEADLINE)
  const commits = await pullRequests.commits(job.number, signal)
  const change = await readPullRequest(commits, { clone: job.clone, folder: repositoryFolder(path, 'path'), token }, signal)
  const judged = await judgeChange(io, change, options)
  const { verdict, details } = judged
  const body = planComment({ context, verdict, details, head: commits.head, job: job.job }, pullRequests.longestComment)
  const { head } = await pullRequests.commits(job.number, signal)
  const comment = { number: job.number, marker: markerOf(context), body }
  const put =
    head === commits.head ? await putComment(pullRequests, comment, signal) : `left to the job of commit ${head.slice(0, 7)}`
  const status = { commit: commits.head, context, state: verdict.passes ? 'success' : 'failure' } as const
  const description = cutDescription(verdict.text, statuses.longestDescription)
  await statuses.post({ ...status, description, ...(job.job !== undefined && { url: job.job }) }, signal)
  io.stderr(`the comment on pull request ${job.number} is ${put}; status "${context}": ${status.state}: ${verdict.text}\n`)
  return judged
}

function checkedContext(context: string): string {
  if (/^[\w][\w ./:-]{0,99}$/.test(context)) return context
  throw new Error(`invalid --pr-context "${context}": expected letters, digits and " ./:-_", at most 100`)
}

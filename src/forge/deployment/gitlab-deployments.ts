import * as z from 'zod'
import { answerAs } from '../pull-request/answer.ts'
import { askGitlab } from '../status/ask-forge.ts'
import type { CommitState, CommitStatuses } from '../status/commit-status.ts'
import type { ForgeAccess } from '../status/forge-request.ts'
import { newestOf } from '../status/github-statuses.ts'

const deployment = z.object({
  id: z.number(),
  sha: z.string(),
  status: z.string(),
  environment: z.object({ name: z.string() }),
})
const LISTED = { shape: z.array(deployment), what: 'list of deployments' }
const DEPLOYMENTS = '/projects/{project}/deployments'

const TO_GITLAB: Readonly<Record<CommitState, string>> = {
  pending: 'running',
  success: 'success',
  failure: 'failed',
  error: 'canceled',
}

/**
 * Each pool is an environment, each commit in it a deployment, without a text. GitLab lists deployments by environment and not by commit, so the
 * newest hundred of the project are read.
 */
export function gitlabDeployments(access: ForgeAccess, { branch }: { readonly branch: string }): CommitStatuses {
  const ask = askGitlab(access)
  const deploymentsOf = async (commit: string, signal: AbortSignal) => {
    const asked = await ask(`GET ${DEPLOYMENTS}`, { order_by: 'id', sort: 'desc', per_page: 100, signal })
    const own = answerAs(asked, { ...LISTED, access }).filter(({ sha }) => sha === commit)
    return newestOf(own.map(({ id, status, environment }) => ({ id, status, context: environment.name })))
  }
  return {
    longestDescription: 0,
    repeatsDescriptions: false,
    list: async (commit, signal) =>
      (await deploymentsOf(commit, signal)).map(({ context, status }) => ({ context, state: stateOf(status), description: '' })),
    async post({ commit, context, state }, signal) {
      const before = (await deploymentsOf(commit, signal)).find((each) => each.context === context)
      const status = TO_GITLAB[state]
      if (before?.status === status) return
      // What has ended stays as it is: a commit that the pool comes back to is a new deployment.
      if (before && !ENDED.has(before.status)) await ask(`PUT ${DEPLOYMENTS}/{id}`, { id: before.id, status, signal })
      else await ask(`POST ${DEPLOYMENTS}`, { environment: context, sha: commit, ref: branch, tag: false, status, signal })
    },
  }
}

const ENDED: ReadonlySet<string> = new Set(['success', 'failed', 'canceled'])

function stateOf(status: string): CommitState {
  const known = Object.entries(TO_GITLAB).find(([, name]) => name === status)
  return (known?.[0] as CommitState | undefined) ?? 'pending'
}

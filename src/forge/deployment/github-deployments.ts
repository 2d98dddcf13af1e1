import * as z from 'zod'
import { answerAs } from '../pull-request/answer.ts'
import { allPages } from '../status/all-pages.ts'
import { askGithub } from '../status/ask-forge.ts'
import type { CommitState, CommitStatuses } from '../status/commit-status.ts'
import type { ForgeAccess } from '../status/forge-request.ts'
import { newestOf } from '../status/github-statuses.ts'

const deployment = z.object({ id: z.number(), environment: z.string() })
const statuses = z.array(z.object({ state: z.string(), description: z.nullish(z.string()) }))
const DEPLOYMENTS = '/repos/{owner}/{repo}/deployments'
/** Deployments of others beside ours. */
const TASK = 'nodewave'

const TO_GITHUB: Readonly<Record<CommitState, string>> = {
  pending: 'in_progress',
  success: 'success',
  failure: 'failure',
  error: 'error',
}

/**
 * Each pool is an environment, each commit in it a deployment. A success makes the ones before it inactive, so that the environment shows what
 * runs. A commit that the pool comes back to is a new deployment of it.
 */
export function githubDeployments(access: ForgeAccess): CommitStatuses {
  const ask = askGithub(access)
  /** The newest of each environment. */
  const deploymentsOf = async (commit: string, signal: AbortSignal) => {
    const query = { sha: commit, task: TASK, per_page: 100, signal }
    const all = await allPages(async (page) =>
      answerAs(await ask(`GET ${DEPLOYMENTS}`, { ...query, page }), { ...LISTED, access }),
    )
    return newestOf(all.map(({ id, environment }) => ({ id, context: environment })))
  }
  const newestStatus = async (id: number, signal: AbortSignal) => {
    const asked = await ask(`GET ${DEPLOYMENTS}/{id}/statuses`, { id, per_page: 1, signal })
    return answerAs(asked, { shape: statuses, what: 'list of statuses', access })[0]
  }
  const created = async (commit: string, environment: string, signal: AbortSignal): Promise<number> => {
    // Nothing is merged into it, and no status has to be there first.
    const now = { ref: commit, environment, task: TASK, auto_merge: false, required_contexts: [] }
    const asked = await ask(`POST ${DEPLOYMENTS}`, { ...now, description: 'nodewave', signal })
    return answerAs(asked, { shape: deployment, what: 'deployment', access }).id
  }
  return {
    longestDescription: 140,
    repeatsDescriptions: false,
    async list(commit, signal) {
      const found: { context: string; state: CommitState; description: string }[] = []
      for (const { id, context } of await deploymentsOf(commit, signal)) {
        const { state = 'pending', description } = (await newestStatus(id, signal)) ?? {}
        found.push({ context, state: stateOf(state), description: description ?? '' })
      }
      return found
    },
    async post({ commit, context, state, description }, signal) {
      const before = (await deploymentsOf(commit, signal)).find((each) => each.context === context)
      const isOver = before !== undefined && ENDED.has((await newestStatus(before.id, signal))?.state ?? '')
      const goesOn = before !== undefined && !(isOver && state === 'pending')
      const id = goesOn ? before.id : await created(commit, context, signal)
      await ask(`POST ${DEPLOYMENTS}/{id}/statuses`, { id, state: TO_GITHUB[state], description, signal })
    },
  }
}

const LISTED = { shape: z.array(deployment), what: 'list of deployments' }
const ENDED: ReadonlySet<string> = new Set(['success', 'inactive', 'failure', 'error'])

/** An inactive one succeeded, and another commit runs now. */
function stateOf(state: string): CommitState {
  if (state === 'inactive') return 'success'
  const known = Object.entries(TO_GITHUB).find(([, name]) => name === state)
  return (known?.[0] as CommitState | undefined) ?? 'pending'
}

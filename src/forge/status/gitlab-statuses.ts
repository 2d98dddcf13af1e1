import * as z from 'zod'
import { allPages, listIn } from './all-pages.ts'
import { askGitlab } from './ask-forge.ts'
import { type AccountStatuses, type CommitState, type CommitStatuses, ForgeError } from './commit-status.ts'
import { type ForgeAccess, statusOf } from './forge-request.ts'
import { newestOfAccounts } from './github-statuses.ts'

const listed = z.array(
  z.object({
    id: z.number().optional(),
    name: z.string(),
    description: z.nullish(z.string()),
    status: z.string(),
    author: z.nullish(z.object({ username: z.string() })),
  }),
)
/** As many as are read of one commit. */
const MOST = 1000

const TO_GITLAB: Readonly<Record<CommitState, string>> = {
  pending: 'running',
  success: 'success',
  failure: 'failed',
  error: 'failed',
}

/** External statuses of GitLab, which make a pipeline of their own beside the commit. */
export function gitlabStatuses(access: ForgeAccess): CommitStatuses & AccountStatuses {
  const ask = askGitlab(access)
  const pages = (query: { readonly commit: string; readonly all?: true; readonly signal: AbortSignal }) =>
    allPages(async (page) =>
      listIn(await ask('GET /projects/{project}/repository/commits/{commit}/statuses', { ...query, per_page: 100, page }), {
        ...{ listed, access },
      }),
    )
  return {
    longestDescription: 255,
    list: async (commit, signal) => (await pages({ commit, signal })).map(toStatus),
    // Another account that posts the same name makes a status of its own, and hides ours from the list of the latest.
    async listByAccount(commit, signal) {
      const found = await pages({ commit, all: true, signal })
      const message = `${access.url}: commit "${commit}" has more than ${MOST} statuses`
      if (found.length >= MOST) throw new ForgeError(message, { isRefusal: true })
      const sorted = found.toSorted((a, b) => (b.id ?? 0) - (a.id ?? 0))
      return newestOfAccounts(sorted.map((each) => ({ ...toStatus(each), account: each.author?.username ?? '' })))
    },
    async post({ commit, context, state, description, url }, signal) {
      try {
        const link = url === undefined ? {} : { target_url: url }
        const status = { state: TO_GITLAB[state], name: context, description, ...link }
        await ask('POST /projects/{project}/statuses/{commit}', { commit, signal, ...status })
      } catch (error) {
        if (!isThereAlready(error)) throw error
      }
    },
  }
}

function toStatus({ name, description, status }: z.infer<typeof listed>[number]) {
  return { context: name, description: description ?? '', state: stateOf(status) }
}

function stateOf(status: string): CommitState {
  if (status === 'success') return 'success'
  return status === 'failed' || status === 'canceled' ? 'failure' : 'pending'
}

/** GitLab refuses to set the state that a status has. */
function isThereAlready(error: unknown): boolean {
  return statusOf(error) === 400 && /Cannot transition status/.test((error as Error).message)
}

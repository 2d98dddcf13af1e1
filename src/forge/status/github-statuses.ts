import * as z from 'zod'
import { allPages, listIn } from './all-pages.ts'
import type { CommitState, CommitStatuses } from './commit-status.ts'
import { askForge, type ForgeAccess } from './forge-request.ts'

/** Gitea calls the state of a listed status `status`. */
const listed = z.array(
  z.object({
    context: z.string(),
    description: z.nullish(z.string()),
    state: z.string().optional(),
    status: z.string().optional(),
  }),
)

const STATES: ReadonlySet<string> = new Set(['pending', 'success', 'failure', 'error'])

/** GitHub, Gitea and Forgejo have the same API for the statuses of commits. */
export function githubStatuses(access: ForgeAccess): CommitStatuses {
  const [owner = '', repo = ''] = access.repository.split('/')
  const ask = async (route: string, { signal, ...parameters }: { signal: AbortSignal } & Readonly<Record<string, unknown>>) => {
    const headers = { authorization: `Bearer ${await access.token()}` }
    const all = { ...(parameters as Readonly<Record<string, string>>), owner, repo }
    return askForge(access, { route, parameters: all, headers, signal })
  }
  return {
    // Of GitHub.
    longestDescription: 140,
    async list(commit, signal) {
      // The newest first: GitHub's only order, and what Gitea calls leastindex.
      const query = { commit, per_page: 100, limit: 50, sort: 'leastindex' }
      const found = await allPages(async (page) =>
        listIn(await ask('GET /repos/{owner}/{repo}/commits/{commit}/statuses', { ...query, page, signal }), { listed, access }),
      )
      return newestOf(
        found.map(({ context, description, state, status }) => ({
          context,
          description: description ?? '',
          state: stateOf(state ?? status),
        })),
      )
    },
    async post({ commit, ...status }, signal) {
      await ask('POST /repos/{owner}/{repo}/statuses/{commit}', { commit, signal, ...status })
    },
  }
}

function stateOf(text: string | undefined): CommitState {
  return STATES.has(text ?? '') ? (text as CommitState) : 'error'
}

/** The first of each context. */
export function newestOf<T extends { readonly context: string }>(statuses: readonly T[]): readonly T[] {
  const newest = new Map<string, T>()
  for (const status of statuses) if (!newest.has(status.context)) newest.set(status.context, status)
  return [...newest.values()]
}

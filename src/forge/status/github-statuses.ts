import * as z from 'zod'
import { allPages, listIn } from './all-pages.ts'
import { askGithub } from './ask-forge.ts'
import type { AccountStatus, AccountStatuses, CommitState, CommitStatuses } from './commit-status.ts'
import type { ForgeAccess } from './forge-request.ts'

/** Gitea calls the state of a listed status `status`. */
const listed = z.array(
  z.object({
    context: z.string(),
    description: z.nullish(z.string()),
    state: z.string().optional(),
    status: z.string().optional(),
    creator: z.nullish(z.object({ login: z.string() })),
  }),
)

const STATES: ReadonlySet<string> = new Set(['pending', 'success', 'failure', 'error'])

/** GitHub, Gitea and Forgejo have the same API for the statuses of commits. */
export function githubStatuses(access: ForgeAccess): CommitStatuses & AccountStatuses {
  const ask = askGithub(access)
  const all = (commit: string, signal: AbortSignal) => {
    // The newest first: GitHub's only order, and what Gitea calls leastindex.
    const query = { commit, per_page: 100, limit: 50, sort: 'leastindex' }
    return allPages(async (page) =>
      listIn(await ask('GET /repos/{owner}/{repo}/commits/{commit}/statuses', { ...query, page, signal }), { listed, access }),
    )
  }
  return {
    // Of GitHub.
    longestDescription: 140,
    list: async (commit, signal) => newestOf((await all(commit, signal)).map(toStatus)),
    listByAccount: async (commit, signal) =>
      newestOfAccounts((await all(commit, signal)).map((each) => ({ ...toStatus(each), account: each.creator?.login ?? '' }))),
    async post({ commit, url, ...status }, signal) {
      const link = url === undefined ? {} : { target_url: url }
      await ask('POST /repos/{owner}/{repo}/statuses/{commit}', { commit, signal, ...status, ...link })
    },
  }
}

function toStatus({ context, description, state, status }: z.infer<typeof listed>[number]) {
  return { context, description: description ?? '', state: stateOf(state ?? status) }
}

function stateOf(text: string | undefined): CommitState {
  return STATES.has(text ?? '') ? (text as CommitState) : 'error'
}

/** The first of each context. */
export function newestOf<T extends { readonly context: string }>(statuses: readonly T[]): readonly T[] {
  return firstBy(statuses, ({ context }) => context)
}

/** The first of each context and account. */
export function newestOfAccounts(statuses: readonly AccountStatus[]): readonly AccountStatus[] {
  return firstBy(statuses, ({ context, account }) => JSON.stringify([context, account.toLowerCase()]))
}

function firstBy<T>(all: readonly T[], keyOf: (each: T) => string): readonly T[] {
  const first = new Map<string, T>()
  for (const each of all) if (!first.has(keyOf(each))) first.set(keyOf(each), each)
  return [...first.values()]
}

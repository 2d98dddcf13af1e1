import * as z from 'zod'
import { allPages, listIn } from './all-pages.ts'
import type { CommitState, CommitStatuses } from './commit-status.ts'
import { askForge, type ForgeAccess, statusOf } from './forge-request.ts'

const listed = z.array(z.object({ name: z.string(), description: z.nullish(z.string()), status: z.string() }))

const TO_GITLAB: Readonly<Record<CommitState, string>> = {
  pending: 'running',
  success: 'success',
  failure: 'failed',
  error: 'failed',
}

/** External statuses of GitLab, which make a pipeline of their own beside the commit. */
export function gitlabStatuses(access: ForgeAccess): CommitStatuses {
  const ask = async (route: string, { signal, ...parameters }: { signal: AbortSignal } & Readonly<Record<string, unknown>>) => {
    const headers = { 'private-token': await access.token() }
    const all = { ...(parameters as Readonly<Record<string, string>>), project: access.repository }
    return askForge(access, { route, parameters: all, headers, signal })
  }
  return {
    longestDescription: 255,
    async list(commit, signal) {
      const route = 'GET /projects/{project}/repository/commits/{commit}/statuses'
      const found = await allPages(async (page) =>
        listIn(await ask(route, { commit, per_page: 100, page, signal }), { listed, access }),
      )
      return found.map(({ name, description, status }) => ({
        context: name,
        description: description ?? '',
        state: stateOf(status),
      }))
    },
    async post({ commit, context, state, description }, signal) {
      try {
        const status = { state: TO_GITLAB[state], name: context, description }
        await ask('POST /projects/{project}/statuses/{commit}', { commit, signal, ...status })
      } catch (error) {
        if (!isThereAlready(error)) throw error
      }
    },
  }
}

function stateOf(status: string): CommitState {
  if (status === 'success') return 'success'
  return status === 'failed' || status === 'canceled' ? 'failure' : 'pending'
}

/** GitLab refuses to set the state that a status has. */
function isThereAlready(error: unknown): boolean {
  return statusOf(error) === 400 && /Cannot transition status/.test((error as Error).message)
}

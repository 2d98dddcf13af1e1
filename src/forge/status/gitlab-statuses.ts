import * as z from 'zod'
import { type CommitState, type CommitStatuses, ForgeError } from './commit-status.ts'
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
      const found = listed.safeParse(await ask(route, { commit, per_page: 100, signal }))
      if (!found.success) throw new ForgeError(`${access.url}: the answer is no list of statuses`)
      return found.data.map(({ name, description, status }) => ({
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

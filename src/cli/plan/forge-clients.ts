import { setTimeout as delay } from 'node:timers/promises'
import { giteaPullRequests } from '../../forge/pull-request/gitea-pull-requests.ts'
import { githubPullRequests } from '../../forge/pull-request/github-pull-requests.ts'
import { gitlabPullRequests } from '../../forge/pull-request/gitlab-pull-requests.ts'
import type { ForgeKind, PullRequestPlace } from '../../forge/pull-request/pull-request-url.ts'
import type { PullRequests } from '../../forge/pull-request/pull-requests.ts'
import type { CommitStatuses } from '../../forge/status/commit-status.ts'
import type { ForgeAccess } from '../../forge/status/forge-request.ts'
import { githubStatuses } from '../../forge/status/github-statuses.ts'
import { gitlabStatuses } from '../../forge/status/gitlab-statuses.ts'
import type { CliIo } from '../cli-io.ts'

export interface ForgeClients {
  readonly pullRequests: PullRequests
  readonly statuses: CommitStatuses
}

/** Milliseconds that a job waits for a forge which limits requests. GitHub's limits last a minute, unless a quota of an hour is used up. */
const LONGEST_WAIT = 180_000

/** A variable, so that the token stands in no process list. */
export const TOKEN_VARIABLE = 'NODEWAVE_FORGE_TOKEN'

const PULL_REQUESTS: Readonly<Record<ForgeKind, (access: ForgeAccess) => PullRequests>> = {
  github: githubPullRequests,
  gitea: giteaPullRequests,
  gitlab: gitlabPullRequests,
}

export function forgeClients(io: CliIo, { forge, api, repository }: PullRequestPlace, token: string): ForgeClients {
  const sleep = async (milliseconds: number, signal: AbortSignal) => {
    io.stderr(`the forge asks to wait ${Math.ceil(milliseconds / 1000)}s\n`)
    await delay(milliseconds, undefined, { signal })
  }
  const access = { url: api, repository, token: async () => token, now: io.now, patience: { longest: LONGEST_WAIT, sleep } }
  return {
    pullRequests: PULL_REQUESTS[forge](access),
    statuses: forge === 'gitlab' ? gitlabStatuses(access) : githubStatuses(access),
  }
}

/** @throws {Error} saying what to set, or when everybody on the way could read the token */
export function forgeToken(
  io: CliIo,
  { api }: Pick<PullRequestPlace, 'api'>,
  { insecureHttp = false }: { readonly insecureHttp?: boolean },
): string {
  const token = io.env[TOKEN_VARIABLE]?.trim()
  if (!token) throw new Error(`--pr needs a token of the forge in the environment variable ${TOKEN_VARIABLE}`)
  if (!api.startsWith('https:') && !insecureHttp)
    throw new Error(`refuse to send the token to "${api}", which everybody on the way can read; use https, or --insecure-http`)
  return token
}

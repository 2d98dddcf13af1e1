import type { PullRequestCommits } from '../../forge/pull-request/pull-requests.ts'
import { fetchCommit } from '../../gitsync/fetch-commit.ts'
import { GitSyncError } from '../../gitsync/git-sync-error.ts'
import type { RepoSnapshot } from '../../protocol/repo-snapshot.ts'
import { TOKEN_VARIABLE } from './forge-clients.ts'

export interface PullRequestSource {
  /** URL of the repository. */
  readonly clone: string
  readonly folder: string
  readonly token: string
}

export interface PullRequestChange {
  readonly from: RepoSnapshot
  readonly to: RepoSnapshot
}

/**
 * Both ends of a pull request, from the forge: whatever CI has checked out, and however much history with it. The files are only read.
 * @throws {Error} when the repository cannot be read
 */
export async function readPullRequest(
  { head, base }: PullRequestCommits,
  { clone: url, folder, token }: PullRequestSource,
  signal: AbortSignal,
): Promise<PullRequestChange> {
  const tokens = { get: async () => token, forget: () => {} }
  const remote = { url, folder, credentials: { kind: 'app', tokens }, insecureHttp: true } as const
  try {
    const to = await fetchCommit({ ...remote, commit: head }, signal)
    return { from: await fetchCommit({ ...remote, commit: base }, signal), to }
  } catch (cause) {
    if (!(cause instanceof GitSyncError) || !DENIED.has(cause.reason)) throw cause
    throw new Error(`failed to read "${url}"; the token in ${TOKEN_VARIABLE} must be allowed to read the repository`, { cause })
  }
}

const DENIED: ReadonlySet<string> = new Set(['Unauthorized', 'RepositoryNotFound'])

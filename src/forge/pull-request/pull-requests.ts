/** The commits of a pull request, in full. */
export interface PullRequestCommits {
  readonly head: string
  /** The newest commit that the head and the target branch have in common: what the change is a change of. */
  readonly base: string
}

export interface PullRequestComment {
  readonly id: number
  readonly body: string
}

/** The pull requests of one repository in a forge. @throws {ForgeError} */
export interface PullRequests {
  commits(number: number, signal: AbortSignal): Promise<PullRequestCommits>
  /** Those that the owner of the token wrote. Everybody else can write what looks like one of them. */
  ownComments(number: number, signal: AbortSignal): Promise<readonly PullRequestComment[]>
  comment(number: number, body: string, signal: AbortSignal): Promise<void>
  edit(number: number, comment: PullRequestComment, signal: AbortSignal): Promise<void>
  /** Bytes of a comment that the forge takes. */
  readonly longestComment: number
}

/** Bytes. A page has a hundred comments of any length. */
export const LONGEST_PAGE = 64 * 1024 * 1024

/** Stable, CamelCase: shown in conditions, and what a caller decides by. */
export type GitSyncReason =
  | 'Unauthorized'
  | 'RepositoryNotFound'
  | 'RepositoryMoved'
  | 'BranchNotFound'
  | 'RevisionNotFound'
  | 'CredentialsUnreadable'
  | 'Unreachable'
  | 'Timeout'
  | 'ResponseTooLarge'
  | 'NotARepository'
  | 'InvalidAddress'
  | 'Unreadable'

/** Whatever keeps a repository from being read; another try may pass. The message never holds credentials. */
export class GitSyncError extends Error {
  override readonly name = 'GitSyncError'
  readonly reason: GitSyncReason

  constructor(message: string, { reason, cause }: { readonly reason: GitSyncReason; readonly cause?: unknown }) {
    super(message, { cause })
    this.reason = reason
  }
}

/** The files themselves are at fault: only other files mend it. */
export class BadTreeError extends Error {
  override readonly name = 'BadTreeError'
  readonly reason: 'TooManyFiles' | 'UnsafePath'

  constructor(message: string, { reason }: { readonly reason: 'TooManyFiles' | 'UnsafePath' }) {
    super(message)
    this.reason = reason
  }
}

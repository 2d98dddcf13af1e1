/** Stable, CamelCase: shown in conditions, and what a caller decides by. */
export type GitSyncReason =
  | 'Unauthorized'
  | 'RepositoryNotFound'
  | 'RepositoryMoved'
  | 'BranchNotFound'
  | 'TagNotFound'
  | 'RevisionNotFound'
  | 'CredentialsUnreadable'
  | 'KeysUnreadable'
  | 'HostKeyUnknown'
  | 'HostKeyChanged'
  | 'Unreachable'
  | 'Timeout'
  | 'ResponseTooLarge'
  | 'PackTooLarge'
  | 'CorruptPack'
  | 'RefusedByServer'
  | 'RateLimited'
  | 'InsecureCredentials'
  | 'UnsupportedProxy'
  | 'NotARepository'
  | 'InvalidAddress'
  | 'Unreadable'
  | 'PackageMissing'
  | 'DiskFull'

interface GitSyncErrorOptions {
  readonly reason: GitSyncReason
  readonly cause?: unknown
  readonly retryAfter?: number | undefined
}

/** Whatever keeps a repository from being read; another try may pass. The message never holds credentials. */
export class GitSyncError extends Error {
  override readonly name = 'GitSyncError'
  readonly reason: GitSyncReason
  /** Milliseconds that the server wants to be left alone for. */
  readonly retryAfter: number | undefined

  constructor(message: string, { reason, cause, retryAfter }: GitSyncErrorOptions) {
    super(message, { cause })
    this.reason = reason
    this.retryAfter = retryAfter
  }
}

/** The files themselves are at fault: only other files mend it. */
export class BadTreeError extends Error {
  override readonly name = 'BadTreeError'
  readonly reason: 'TooManyFiles' | 'UnsafePath' | 'MalformedTree'

  constructor(message: string, { reason }: { readonly reason: 'TooManyFiles' | 'UnsafePath' | 'MalformedTree' }) {
    super(message)
    this.reason = reason
  }
}

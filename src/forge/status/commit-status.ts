export type CommitState = 'pending' | 'success' | 'failure' | 'error'

/** What stands beside a commit in its forge. */
export interface CommitStatus {
  /** In full. */
  readonly commit: string
  /** Who says it; the newest status of a context counts. */
  readonly context: string
  readonly state: CommitState
  readonly description: string
}

/** The statuses of commits in one repository of a forge. @throws {ForgeError} */
export interface CommitStatuses {
  /** The newest of each context. */
  list(commit: string, signal: AbortSignal): Promise<readonly Omit<CommitStatus, 'commit'>[]>
  post(status: CommitStatus, signal: AbortSignal): Promise<void>
  /** Characters of a description; the forge refuses or cuts longer ones. */
  readonly longestDescription: number
}

export class ForgeError extends Error {
  override readonly name = 'ForgeError'
  /** Milliseconds after which the forge may be asked again, when it says so. */
  readonly retryAfter: number | undefined
  /** The forge refuses this request, and may take another one: its commit was pushed away, or has its maximum of statuses. */
  readonly isRefusal: boolean

  constructor(
    message: string,
    { retryAfter, isRefusal = false, cause }: Partial<Pick<ForgeError, 'retryAfter' | 'isRefusal' | 'cause'>> = {},
  ) {
    super(message, { cause })
    this.retryAfter = retryAfter
    this.isRefusal = isRefusal
  }
}

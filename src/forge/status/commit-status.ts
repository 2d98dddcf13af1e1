import { RemoteError } from '../../remote/remote-error.ts'

export type CommitState = 'pending' | 'success' | 'failure' | 'error'

/** What stands beside a commit in its forge. */
export interface CommitStatus {
  /** In full. */
  readonly commit: string
  /** Who says it; the newest status of a context counts. */
  readonly context: string
  readonly state: CommitState
  readonly description: string
  /** Where people find more. */
  readonly url?: string
}

/** The statuses of commits in one repository of a forge. @throws {ForgeError} */
export interface CommitStatuses {
  /** The newest of each context. */
  list(commit: string, signal: AbortSignal): Promise<readonly Omit<CommitStatus, 'commit'>[]>
  post(status: CommitStatus, signal: AbortSignal): Promise<void>
  /** Characters of a description; the forge refuses or cuts longer ones. 0: it has none. */
  readonly longestDescription: number
  /** Whether another description of the same state is posted. Default: yes. */
  readonly repeatsDescriptions?: boolean
}

export interface AccountStatus extends Omit<CommitStatus, 'commit'> {
  /** Who posted it; empty: nobody that the forge knows. */
  readonly account: string
}

/** The same by who posted them: everybody who may push may post others. @throws {ForgeError} */
export interface AccountStatuses {
  /** The newest of each context and account. */
  listByAccount(commit: string, signal: AbortSignal): Promise<readonly AccountStatus[]>
}

/** A refusal: the commit was pushed away, or has its maximum of statuses. */
export class ForgeError extends RemoteError {
  override readonly name = 'ForgeError'
}

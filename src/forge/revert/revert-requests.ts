/** What a file becomes. */
export interface FileChange {
  /** From the root of the repository. */
  readonly path: string
  /** Absent: there is none yet. */
  readonly before?: Uint8Array
  /** Absent: it is removed. */
  readonly after?: Uint8Array
}

/** One commit on a branch of its own. */
export interface BranchCommit {
  /** The branch that it is for. */
  readonly base: string
  /** The commit that it follows, in full. */
  readonly parent: string
  readonly branch: string
  readonly message: string
  readonly files: readonly FileChange[]
}

export interface OpenedRequest {
  readonly number: number
  readonly url: string
  readonly isOpen: boolean
  readonly body: string
}

export interface RequestText {
  readonly title: string
  readonly body: string
}

/** Pull requests of nodewave's own, each from a branch that is made for it. @throws {ForgeError} */
export interface RevertRequests {
  /** The newest one from the branch, in any state: one that people closed is not opened again. */
  find(place: { readonly base: string; readonly branch: string }, signal: AbortSignal): Promise<OpenedRequest | undefined>
  /** @returns false when the branch is there already. It stays as it is: an answer was lost, or somebody else pushed it */
  commit(commit: BranchCommit, signal: AbortSignal): Promise<boolean>
  open(request: RequestText & { readonly base: string; readonly branch: string }, signal: AbortSignal): Promise<string>
  close(request: Pick<OpenedRequest, 'number' | 'body'>, signal: AbortSignal): Promise<void>
}

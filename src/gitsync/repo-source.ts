/** One ref of one repository, wherever it is. */
export interface RepoSource {
  /** What the ref names, asked for cheaply: a commit, or the object of a tag. @throws {GitSyncError} */
  head(signal: AbortSignal): Promise<string>
  /**
   * Brings the head's objects to this machine. `fromScratch`: what is there could not be used, start from nothing.
   * @returns what was there then, which may be newer than what was asked for before
   */
  fetch(signal: AbortSignal, options?: { readonly fromScratch: boolean }): Promise<FetchedHead>
  /**
   * Brings more history, each time it is asked after a fetch; the last time all of it.
   * @returns where its commits are, and perhaps nothing else; undefined when there is no more
   */
  deepen(signal: AbortSignal): Promise<string | undefined>
  /** Called when there is nothing else to do: clears up what fetching left behind. */
  tidy(signal: AbortSignal): Promise<void>
  /** Rings when the ref may have changed. A source that cannot tell is polled only. */
  watch?(ring: () => void): Promise<() => Promise<void>>
}

export interface FetchedHead {
  /** As `head` has it. */
  readonly named: string
  readonly commit: string
  readonly gitdir: string
  /** The tag by which it came; its object is `named`, unless that is the commit itself. */
  readonly tag?: string | undefined
}

/** One branch of one repository, wherever it is. */
export interface RepoSource {
  /** The commit at the branch's head, asked for cheaply. @throws {GitSyncError} */
  head(signal: AbortSignal): Promise<string>
  /**
   * Brings the head's objects to this machine. `fromScratch`: what is there could not be used, start from nothing.
   * @returns its commit, which may be newer than the one asked for before
   */
  fetch(
    signal: AbortSignal,
    options?: { readonly fromScratch: boolean },
  ): Promise<{ readonly commit: string; readonly gitdir: string }>
  /**
   * Brings more history, each time it is asked after a fetch; the last time all of it.
   * @returns where its commits are, and perhaps nothing else; undefined when there is no more
   */
  deepen(signal: AbortSignal): Promise<string | undefined>
  /** Called when there is nothing else to do: clears up what fetching left behind. */
  tidy(signal: AbortSignal): Promise<void>
  /** Rings when the branch may have changed. A source that cannot tell is polled only. */
  watch?(ring: () => void): Promise<() => Promise<void>>
}

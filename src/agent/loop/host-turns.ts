/** Something newer was assigned, or the host was changed, while this was staged; nothing was disturbed. */
export class Superseded extends Error {
  override readonly name = 'Superseded'
}

/**
 * Who may change the host, and what is remembered of it: one at a time, in the order in which they asked. What is only brought onto the
 * host for later takes no turn: a download may last for hours, and what runs is watched meanwhile.
 */
export class HostTurns {
  #last: Promise<unknown> = Promise.resolve()
  #preparing = 0

  /**
   * Never from within a turn: it would wait for itself.
   * @throws {Superseded} when `signal` aborted before the turn began
   */
  exclusively<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const turn = this.#last.then(() => {
      if (signal?.aborted) throw new Superseded('what waited for its turn is not wanted any more')
      return work()
    })
    this.#last = turn.catch(() => {})
    return turn
  }

  /** What is staged is needed still. */
  get isPreparing(): boolean {
    return this.#preparing > 0
  }

  /**
   * Stages without a turn, and then takes one to use what was staged, which is needed until then.
   * @throws {Superseded} when `signal` aborted, whatever the staging made of that.
   */
  async prepare<T>(signal: AbortSignal, stage: () => Promise<void>, use: () => Promise<T>): Promise<T> {
    this.#preparing++
    let isNeeded = true
    const release = (): void => {
      if (isNeeded) this.#preparing--
      isNeeded = false
    }
    try {
      await stage().catch((error: unknown) => {
        if (!signal.aborted) throw error
      })
      return await this.exclusively(() => {
        release()
        return use()
      }, signal)
    } finally {
      release()
    }
  }
}

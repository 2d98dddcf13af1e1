/** Something newer was assigned, or the host had to be repaired, while this was staged; nothing was disturbed. */
export class Superseded extends Error {
  override readonly name = 'Superseded'
}

/** How a piece of work takes its turn. */
export interface Turns {
  exclusively<T>(work: () => Promise<T>): Promise<T>
  prepare(signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void>
}

/**
 * Who may change the host, and what is remembered of it: one at a time, in the order in which they asked. What is only brought onto the
 * host for later takes no turn: a download may last for hours, and what runs is watched meanwhile.
 */
export class HostTurns implements Turns {
  #last: Promise<unknown> = Promise.resolve()
  #preparation: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined

  /** Never from within a turn: it would wait for itself. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => {})
    return turn
  }

  /** What is staged is needed still. */
  get isPreparing(): boolean {
    return this.#preparation !== undefined
  }

  /** @throws {Superseded} when it was told to stop, whatever it made of that. */
  async prepare(signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const stop = new AbortController()
    const either = AbortSignal.any([signal, stop.signal])
    const working = work(either)
    this.#preparation = { stop, ended: working.catch(() => {}) }
    try {
      await working
    } catch (error) {
      if (!either.aborted) throw error
    } finally {
      this.#preparation = undefined
    }
    if (either.aborted) throw new Superseded('what was being staged is not wanted any more')
  }

  /** Whoever has the turn wants to stage something else. */
  async stopPreparing(): Promise<void> {
    this.#preparation?.stop.abort()
    await this.#preparation?.ended
  }
}

/** For work that has the turn already. */
export const HELD_TURN: Turns = { exclusively: (work) => work(), prepare: (signal, work) => work(signal) }

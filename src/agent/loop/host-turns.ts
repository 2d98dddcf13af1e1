/** Something newer was assigned, or the host had to be repaired, while this was staged; nothing was disturbed. */
export class Superseded extends Error {
  override readonly name = 'Superseded'
}

/** How a piece of work takes its turn. */
export interface Turns {
  exclusively<T>(work: () => Promise<T>): Promise<T>
  /** Stages without a turn, and then takes one to use what was staged. */
  prepare<T>(signal: AbortSignal, stage: (signal: AbortSignal) => Promise<void>, use: () => Promise<T>): Promise<T>
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

  /** What is staged is needed until its turn has come. @throws {Superseded} when it was told to stop, whatever it made of that. */
  async prepare<T>(signal: AbortSignal, stage: (signal: AbortSignal) => Promise<void>, use: () => Promise<T>): Promise<T> {
    const stop = new AbortController()
    const either = AbortSignal.any([signal, stop.signal])
    const staging = stage(either)
    this.#preparation = { stop, ended: staging.catch(() => {}) }
    try {
      await staging
    } catch (error) {
      this.#preparation = undefined
      if (!either.aborted) throw error
    }
    if (!either.aborted) return this.exclusively(() => this.#use(use))
    this.#preparation = undefined
    throw new Superseded('what was being staged is not wanted any more')
  }

  #use<T>(use: () => Promise<T>): Promise<T> {
    this.#preparation = undefined
    return use()
  }

  /** Whoever has the turn wants to stage something else. */
  async stopPreparing(): Promise<void> {
    this.#preparation?.stop.abort()
    await this.#preparation?.ended
  }
}

/** For work that has the turn already. */
export const HELD_TURN: Turns = { exclusively: (work) => work(), prepare: (signal, stage, use) => stage(signal).then(use) }

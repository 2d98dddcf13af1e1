import { type ObjectStore, objectStore } from './object-store.ts'
import type { RepoSource } from './repo-source.ts'

/** The commits before a fetched one, as far as they are on this machine; more of them are fetched when a question needs them. */
export class FetchedHistory {
  readonly #source: Pick<RepoSource, 'deepen'>
  readonly #signal: AbortSignal
  #gitdir: string

  constructor(source: Pick<RepoSource, 'deepen'>, { gitdir, signal }: { readonly gitdir: string; readonly signal: AbortSignal }) {
    this.#source = source
    this.#signal = signal
    this.#gitdir = gitdir
  }

  /** @returns the first answer that is one, or the last; later questions begin where this one ended */
  async ask<T>(question: (store: ObjectStore) => Promise<T>, isAnswer: (answer: T) => boolean): Promise<T> {
    let answer = await question(objectStore(this.#gitdir))
    while (!isAnswer(answer)) {
      const deeper = await this.#source.deepen(this.#signal)
      if (deeper === undefined) break
      this.#gitdir = deeper
      answer = await question(objectStore(deeper))
    }
    return answer
  }
}

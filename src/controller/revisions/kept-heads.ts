import type { CompiledFleet } from '../fleet/compiled-fleet.ts'
import type { RevisionLibrary } from './revision-library.ts'
import type { RevisionStore } from './revision-store.ts'

export interface KeptHeadsOptions {
  readonly store: Pick<RevisionStore, 'list'>
  readonly library: Pick<RevisionLibrary, 'get'>
  /** Of the kept commits, or as pools remember it. */
  readonly newestAccepted: (kept: readonly string[]) => string | undefined
}

export interface NewestCommit {
  readonly commit: string
  /** Absent: it is not kept, or cannot be read. Nodes do not go back to the one before. */
  readonly fleet?: CompiledFleet
}

/** What the cluster knows of the newest accepted commit, before one has come from the repository. */
export class KeptHeads {
  readonly #options: KeptHeadsOptions
  /** It is awaited also where the pool that remembers it is gone, too. */
  #lost: string | undefined

  constructor(options: KeptHeadsOptions) {
    this.#options = options
  }

  get newest(): string | undefined {
    const kept = this.#commits()
    const isLost = this.#lost !== undefined && !kept.includes(this.#lost)
    return isLost ? this.#lost : this.#options.newestAccepted(kept)
  }

  /**
   * Somebody may restore a newer one than is in use, its labels are back, or its watch was behind. One that is in use may have been deleted.
   * @returns undefined when there is none
   */
  async newerThan(inUse: string | undefined): Promise<NewestCommit | undefined> {
    const kept = this.#commits()
    if (inUse !== undefined && kept.indexOf(inUse) <= 0) return undefined
    const { newest } = this
    if (newest === undefined) return undefined
    const fleet = newest === kept[0] ? await this.#options.library.get(newest) : undefined
    if (!fleet) this.#lost = newest
    return { commit: newest, ...(fleet && { fleet }) }
  }

  /** The newest that is kept and can be read, though a newer one is lost. */
  async readable(): Promise<CompiledFleet | undefined> {
    for (const commit of this.#commits()) {
      const fleet = await this.#options.library.get(commit)
      if (fleet) return fleet
    }
    return undefined
  }

  #commits(): readonly string[] {
    return this.#options.store.list().map(({ commit }) => commit)
  }
}

import type { Compile, CompiledFleet } from '../fleet/compiled-fleet.ts'
import type { Log } from '../log/log.ts'
import { RevisionError } from './revision-error.ts'
import type { RevisionStore } from './revision-store.ts'

/** Accepted revisions, ready to render from; those that are in use are kept in memory. */
export class RevisionLibrary {
  readonly #store: RevisionStore
  readonly #compile: Compile
  readonly #log: Log
  readonly #fleets = new Map<string, CompiledFleet>()
  /** Versions of those that cannot be read. */
  readonly #unreadable = new Map<string, string>()

  constructor({ store, compile, log }: { readonly store: RevisionStore; readonly compile: Compile; readonly log: Log }) {
    this.#store = store
    this.#compile = compile
    this.#log = log
  }

  add(fleet: CompiledFleet): void {
    this.#fleets.set(fleet.commit, fleet)
  }

  /** All commits that the cluster keeps, the last accepted first. */
  kept(): string[] {
    return this.#store.list().map(({ commit }) => commit)
  }

  /** @returns undefined when the revision is not kept, or this version of the program can no longer read it; then the log says why. */
  async get(commit: string): Promise<CompiledFleet | undefined> {
    const known = this.#fleets.get(commit)
    if (known) return known
    const version = this.#store.versionOf(commit)
    // One that is not kept, or is damaged, may come back, from a backup or with its labels.
    if (version === undefined || version === this.#unreadable.get(commit)) return undefined
    const fleet = await this.#read(commit)
    if (fleet) this.#fleets.set(commit, fleet)
    else this.#unreadable.set(commit, version)
    return fleet
  }

  /** Forgets all others; what is needed again is read again. */
  retain(commits: ReadonlySet<string>): void {
    for (const known of [this.#fleets, this.#unreadable])
      for (const commit of known.keys()) if (!commits.has(commit)) known.delete(commit)
  }

  async #read(commit: string): Promise<CompiledFleet | undefined> {
    try {
      const fleet = await this.#compile({ ...(await this.#store.load(commit)), accepted: true })
      if (fleet.problems.length === 0) return fleet
      this.#log('error', `kept revision "${commit}" is invalid in this version: ${fleet.problems[0]}`)
    } catch (error) {
      if (!(error instanceof RevisionError)) throw error
      this.#log('error', `read kept revision "${commit}": ${error.message}`)
    }
    return undefined
  }
}

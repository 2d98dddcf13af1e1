/** What may be compared with: what was unavailable, through no fault of what is tried, each time that it was asked before a wave. */
export class OutageRecords {
  readonly #epochs = new Map<string, number>()
  /** By pool and epoch: by workload, how many pods were missing at most. */
  readonly #noted = new Map<string, Map<string, number>>()
  /** By pool and fingerprint: in which epochs. */
  readonly #tried = new Map<string, Set<number>>()

  /** How many rollouts of the pool have completed. */
  epochOf(pool: string): number {
    return this.#epochs.get(pool) ?? 0
  }

  completed(pool: string): void {
    this.#epochs.set(pool, this.epochOf(pool) + 1)
  }

  tried(pool: string, fingerprint: string): void {
    const key = `${pool} ${fingerprint}`
    this.#tried.set(key, (this.#tried.get(key) ?? new Set()).add(this.epochOf(pool)))
  }

  note(pool: string, missing: ReadonlyMap<string, number>): void {
    const key = `${pool} ${this.epochOf(pool)}`
    const noted = this.#noted.get(key) ?? new Map<string, number>()
    this.#noted.set(key, noted)
    for (const [app, count] of missing) noted.set(app, Math.max(noted.get(app) ?? 0, count))
  }

  /** Since a rollout completed last; a retry is compared with what was so before its first try. */
  mostBefore({ pool, fingerprint, app }: { readonly pool: string; readonly fingerprint: string; readonly app: string }): number {
    const epochs = [this.epochOf(pool), ...(this.#tried.get(`${pool} ${fingerprint}`) ?? [])]
    return Math.max(0, ...epochs.map((epoch) => this.#noted.get(`${pool} ${epoch}`)?.get(app) ?? 0))
  }
}

interface Delay {
  readonly resource: string
  /** Monotonic milliseconds, both. */
  readonly from: number
  readonly until: number
}

/** Watches of some resources that bring nothing for a while, while everything else is alive. */
export class LateWatches {
  readonly #until = new Map<string, number>()
  readonly #delays: Delay[] = []

  delay(resource: string, { from, until }: Omit<Delay, 'resource'>): void {
    this.#until.set(resource, until)
    this.#delays.push({ resource, from, until })
  }

  /** Milliseconds, from now on. */
  heldFor(resource: string, now: number): number {
    return (this.#until.get(resource) ?? 0) - now
  }

  /** When a watch has shown what was so at an instant, at the latest: what is on its way may be held up again. */
  shownBy(resource: string, instant: number): number {
    const delays = this.#delays.filter((delay) => delay.resource === resource)
    return delays.reduce((shown, { from, until }) => (from <= shown ? Math.max(shown, until) : shown), instant)
  }
}

/** Milliseconds without another event: who writes in place is done then, and what an editor does in steps is one change. */
export const QUIET = 500
/** The same between two looks, whatever they look at. */
const SHORTEST_PAUSE = 1000

interface Entry {
  /** Of the last event. */
  readonly changedAt: number
  readonly isWaiting: boolean
  /** Of the last look. */
  readonly lookedAt: number
  /** Until the next look. */
  readonly pause: number
}

/**
 * Paths that somebody has changed, and that are to be compared. One that is changed again and again is compared less and less often, and
 * one that never comes to rest not at all: the regular look is for that. All times are monotonic milliseconds.
 */
export class Stirred {
  readonly #longest: number
  readonly #entries = new Map<string, Entry>()
  #next = Number.POSITIVE_INFINITY
  #lookedAt = Number.NEGATIVE_INFINITY

  /** @param longest pause between two looks at a path that is changed all the time */
  constructor(longest: number) {
    this.#longest = longest
  }

  /** @returns whether `next` is earlier now. */
  changed(paths: readonly string[], at: number): boolean {
    const before = this.next
    for (const path of paths) {
      const { lookedAt, pause } = this.#entries.get(path) ?? { lookedAt: Number.NEGATIVE_INFINITY, pause: QUIET }
      const entry = { lookedAt, pause, changedAt: at, isWaiting: true }
      this.#entries.set(path, entry)
      this.#next = Math.min(this.#next, dueAt(entry))
    }
    return this.next < before
  }

  /** Nothing is to be compared before, since what is due soon after a look is compared with others; infinite when nothing is. */
  get next(): number {
    return Math.max(this.#next, this.#lookedAt + SHORTEST_PAUSE)
  }

  /** @returns what is to be compared now. */
  take(at: number): string[] {
    const due = [...this.#entries].filter(([, entry]) => entry.isWaiting && dueAt(entry) <= at)
    if (due.length > 0) this.#lookedAt = at
    for (const [path, entry] of due) this.#entries.set(path, this.#looked(entry, at))
    this.#next = Number.POSITIVE_INFINITY
    for (const [path, entry] of this.#entries)
      if (entry.isWaiting) this.#next = Math.min(this.#next, dueAt(entry))
      else if (this.#isForgotten(entry, at)) this.#entries.delete(path)
    return due.map(([path]) => path)
  }

  #looked(entry: Entry, at: number): Entry {
    const pause = this.#isForgotten(entry, at) ? QUIET : Math.min(2 * entry.pause, this.#longest)
    return { ...entry, isWaiting: false, lookedAt: at, pause }
  }

  /** Longer ago than the longest pause: it is not changed all the time. */
  #isForgotten({ lookedAt }: Entry, at: number): boolean {
    return at - lookedAt >= 2 * this.#longest
  }
}

function dueAt({ changedAt, lookedAt, pause }: Entry): number {
  return Math.max(changedAt + QUIET, lookedAt + pause)
}

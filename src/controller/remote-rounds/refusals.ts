import type { Instant } from '../../rollout/model/instant.ts'

/** Milliseconds; doubling. */
const FIRST_BACKOFF = 5_000
const LONGEST_BACKOFF = 600_000

interface Refusal {
  readonly count: number
  readonly until: Instant
}

export function backoffAfter(failures: number): number {
  return Math.min(FIRST_BACKOFF * 2 ** (failures - 1), LONGEST_BACKOFF)
}

/** What a server refuses, each asked again at its own times: one holds up no other. */
export class Refusals {
  readonly #refused = new Map<string, Refusal>()

  isWaiting(key: string, now: Instant): boolean {
    return now < (this.#refused.get(key)?.until ?? now)
  }

  /** @returns milliseconds until it is asked for again, and whether this is the first refusal. */
  add(key: string, now: Instant): { readonly rest: number; readonly isFirst: boolean } {
    const count = (this.#refused.get(key)?.count ?? 0) + 1
    const rest = backoffAfter(count)
    this.#refused.set(key, { count, until: now + rest })
    return { rest, isFirst: count === 1 }
  }

  has(key: string): boolean {
    return this.#refused.has(key)
  }

  delete(key: string): void {
    this.#refused.delete(key)
  }

  keys(): Iterable<string> {
    return this.#refused.keys()
  }

  /** The next time at which something is asked for again, or `other` before that. */
  nextAt(now: Instant, other: Instant | undefined): Instant | undefined {
    const waiting = [...this.#refused.values()].map(({ until }) => until).filter((until) => until > now)
    const next = Math.min(other ?? Number.POSITIVE_INFINITY, ...waiting)
    return Number.isFinite(next) ? next : undefined
  }
}

import type { Instant } from '../../rollout/model/instant.ts'
import { isWaiting, type Wait } from '../writes/write-failures.ts'

/** Milliseconds; doubling. */
const FIRST_BACKOFF = 5_000
const LONGEST_BACKOFF = 600_000

interface Refusal extends Wait {
  readonly count: number
}

export function backoffAfter(failures: number): number {
  return Math.min(FIRST_BACKOFF * 2 ** (failures - 1), LONGEST_BACKOFF)
}

/** What a server refuses, each asked again at its own times: one holds up no other. */
export class Refusals {
  readonly #refused = new Map<string, Refusal>()

  isWaiting(key: string, now: Instant): boolean {
    const refusal = this.#refused.get(key)
    return refusal !== undefined && isWaiting(refusal, now)
  }

  /** @returns milliseconds until it is asked for again, and whether this is the first refusal. */
  add(key: string, now: Instant): { readonly rest: number; readonly isFirst: boolean } {
    const count = (this.#refused.get(key)?.count ?? 0) + 1
    const rest = backoffAfter(count)
    this.#refused.set(key, { count, at: now, until: now + rest })
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
    const waiting = [...this.#refused.values()].filter((refusal) => isWaiting(refusal, now))
    const next = Math.min(other ?? Number.POSITIVE_INFINITY, ...waiting.map(({ until }) => until))
    return Number.isFinite(next) ? next : undefined
  }
}

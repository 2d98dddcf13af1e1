import type { Instant } from '../../rollout/model/instant.ts'

/** Milliseconds. */
const WINDOW = 600_000
/** Events of one node within the window: a rollout makes two or three. */
const MOST = 10

interface Account {
  readonly told: readonly Instant[]
  /** Some were left out since the last one that was written. */
  readonly full: boolean
}

/** How many more events a node may have: what its agent says becomes an event, and it may say something new without end. */
export class EventLimit {
  readonly #accounts = new Map<string, Account>()

  /** @returns `LeftOutFirst` for the first that is left out, of which people should know */
  take(node: string, now: Instant): 'Told' | 'LeftOutFirst' | 'LeftOut' {
    const { told = [], full }: Partial<Account> = this.#accounts.get(node) ?? {}
    const recent = told.filter((at) => isRecent(at, now))
    const isFull = recent.length >= MOST
    this.#accounts.set(node, { told: isFull ? recent : [...recent, now], full: isFull })
    if (!isFull) return 'Told'
    return full ? 'LeftOut' : 'LeftOutFirst'
  }

  /** Forgets the nodes of which nothing was written lately. */
  tidy(now: Instant): void {
    for (const [node, { told }] of this.#accounts) if (!told.some((at) => isRecent(at, now))) this.#accounts.delete(node)
  }
}

/** A clock that was put back forgets. */
function isRecent(at: Instant, now: Instant): boolean {
  return at <= now && at > now - WINDOW
}

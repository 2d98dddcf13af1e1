import { KubeError } from '../../kube/kube-api.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import { isWaiting, type Wait } from '../writes/write-failures.ts'
import type { HeadEvent } from './head-source.ts'

interface RefusedHead extends Wait {
  readonly event: HeadEvent
  readonly since: Instant
}

/** Milliseconds. */
const TRY_AGAIN = 10_000
/** For so long, in milliseconds, a write without an answer may be the server's trouble; after that it is this commit's. */
const PATIENCE = 30_000

/** Until a commit that could not be kept is tried again. */
export function waitToKeep(now: Instant): Wait {
  return { at: now, until: now + TRY_AGAIN }
}

/** What the repository has told, and what is not dealt with yet. */
export class PendingHeads {
  #events: readonly HeadEvent[] = []
  #refused: RefusedHead | undefined

  get isEmpty(): boolean {
    return this.#events.length === 0
  }

  get hasHead(): boolean {
    return this.#events.some(({ kind }) => kind === 'head')
  }

  /** Only the last of several heads is of interest. */
  offer(event: HeadEvent): void {
    const kept = event.kind === 'head' ? this.#events.filter(({ kind }) => kind !== 'head') : this.#events
    this.#events = [...kept, event]
  }

  /** Before all that came meanwhile. */
  offerFirst(event: HeadEvent): void {
    this.#events = [event, ...this.#events]
  }

  /**
   * What comes after a commit that is to be tried again waits for that, but for whether the repository can be read.
   * @param restoredAt when the server was last found to be there again: what failed before may pass
   */
  next(now: Instant, restoredAt = Number.NEGATIVE_INFINITY): HeadEvent | undefined {
    const refused = this.#waiting
    if (!refused || refused.at < restoredAt || !isWaiting(refused, now)) return this.#events[0]
    return this.#events.find(({ kind }) => kind === 'trouble' || kind === 'mended')
  }

  remove(event: HeadEvent): void {
    this.#events = this.#events.filter((other) => other !== event)
    if (this.#refused?.event === event) this.#refused = undefined
  }

  /** @returns false while the server may be away: then nothing is wrong with the commit */
  tryLater(event: HeadEvent, error: unknown, now: Instant): boolean {
    const { since } = this.#refused?.event === event ? this.#refused : { since: now }
    this.#refused = { event, since, ...waitToKeep(now) }
    return !(error instanceof KubeError && error.isAway) || now - since >= PATIENCE
  }

  /** When a commit that could not be kept is to be tried again. */
  get wakeAt(): Instant | undefined {
    return this.#waiting?.until
  }

  /** A newer commit takes its place. */
  get #waiting(): RefusedHead | undefined {
    return this.#refused && this.#events.includes(this.#refused.event) ? this.#refused : undefined
  }
}

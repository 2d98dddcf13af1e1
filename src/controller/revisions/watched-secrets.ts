import type { RepoSnapshot } from '../../protocol/repo-snapshot.ts'
import { commitOf } from '../../protocol/revision-id.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import type { HeadEvent } from './head-source.ts'

export type HeldEvent = Extract<HeadEvent, { kind: 'head' }>

export interface Watched {
  readonly event: HeldEvent
  /** The Secrets as they are now. */
  readonly look: () => readonly unknown[]
  /** As they were when they were taken. */
  readonly seen: readonly unknown[]
}

/** Milliseconds. A Secret that changes all the time would begin a rollout, and keep a revision, each time. */
const EVERY = 60_000

/** The Secrets that the newest commit takes values from. */
export class WatchedSecrets {
  #watched: Watched | undefined
  #retakenAt: Instant | undefined
  #wakeAt: Instant | undefined

  watch(watched: Watched): void {
    this.#watched = watched
  }

  forget(): void {
    this.#watched = undefined
  }

  /** The commit again, when its Secrets are others than those that were taken; at most once a minute. */
  changed(now: Instant): HeldEvent | undefined {
    this.#wakeAt = undefined
    if (!this.#watched) return undefined
    const { event, look, seen } = this.#watched
    const isSame = look().every((secret, index) => secret === seen[index])
    if (isSame) return undefined
    const earliest = (this.#retakenAt ?? now - EVERY) + EVERY
    // A clock that was put back must not keep a Secret from the nodes.
    if (now < earliest && earliest - now <= EVERY) {
      this.#wakeAt = earliest
      return undefined
    }
    this.#retakenAt = now
    return event
  }

  get wakeAt(): Instant | undefined {
    return this.#wakeAt
  }
}

/** As it came from Git, with nothing taken. */
export function headOf({ secrets: _, ...snapshot }: RepoSnapshot): HeldEvent {
  return { kind: 'head', snapshot: { ...snapshot, commit: commitOf(snapshot.commit) } }
}

import type { RepoSnapshot } from '../../protocol/repo-snapshot.ts'
import { commitOf } from '../../protocol/revision-id.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import type { HeadEvent } from './head-source.ts'

export type HeldEvent = Extract<HeadEvent, { kind: 'head' }>

export interface Watched {
  readonly event: HeldEvent
  /** What the commit made with them. */
  readonly revision: string
  /** The Secrets as they are now. */
  readonly look: () => readonly unknown[]
  /** As they were when they were taken. */
  readonly seen: readonly unknown[]
}

/** Milliseconds; doubling while contents change. Each time begins another rollout, and one that never ends would keep all else from the nodes. */
const EVERY = 60_000
const LONGEST = 3_600_000

/** The Secrets that the newest commit takes values from. */
export class WatchedSecrets {
  #watched: Watched | undefined
  #retakenAt: Instant | undefined
  /** When they last were taken with other contents. */
  #changedAt: Instant | undefined
  #pause = EVERY
  #wakeAt: Instant | undefined

  watch(watched: Watched): void {
    const before = this.#watched?.revision
    this.#watched = watched
    const at = this.#retakenAt
    if (before === undefined || at === undefined || !hasOtherContents(watched.revision, before)) return
    this.#pause = this.#isAtRest(at) ? EVERY : Math.min(this.#pause * 2, LONGEST)
    this.#changedAt = at
  }

  forget(): void {
    this.#watched = undefined
  }

  /** The commit again, when its Secrets are others than those that were taken; at most once a minute, and ever later while they change. */
  changed(now: Instant): HeldEvent | undefined {
    this.#wakeAt = undefined
    if (!this.#watched) return undefined
    const { event, look, seen } = this.#watched
    const isSame = look().every((secret, index) => secret === seen[index])
    if (isSame) return undefined
    const pause = this.#isAtRest(now) ? EVERY : this.#pause
    const earliest = (this.#retakenAt ?? now - pause) + pause
    // A clock that was put back must not keep a Secret from the nodes.
    if (now < earliest && earliest - now <= pause) {
      this.#wakeAt = earliest
      return undefined
    }
    this.#retakenAt = now
    return event
  }

  get wakeAt(): Instant | undefined {
    return this.#wakeAt
  }

  #isAtRest(now: Instant): boolean {
    return this.#changedAt === undefined || now - this.#changedAt > 2 * this.#pause
  }
}

function hasOtherContents(revision: string, before: string): boolean {
  return revision !== before && commitOf(revision) === commitOf(before)
}

/** As it came from Git, with nothing taken. */
export function headOf({ secrets: _, ...snapshot }: RepoSnapshot): HeldEvent {
  return { kind: 'head', snapshot: { ...snapshot, commit: commitOf(snapshot.commit) } }
}

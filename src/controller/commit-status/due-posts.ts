import type { CommitState, CommitStatus } from '../../forge/status/commit-status.ts'
import type { Instant } from '../../rollout/model/instant.ts'

/** What the forge shows of one context beside one commit. */
export interface Posted {
  readonly state: CommitState
  readonly description: string
  readonly at: Instant
  /** How often it was posted by this process. */
  readonly count: number
}

export interface Wanted extends CommitStatus {
  /** Whether it is of a commit that nodes have left: said only where something else was said before. */
  readonly isPast: boolean
}

/** Milliseconds between two descriptions of one state, and so many more for each one that was posted. */
const INTERVAL = 5_000
const LONGER_EACH_TIME = 250

export interface DuePosts {
  readonly due: readonly CommitStatus[]
  /** When the next one is; undefined: when something changes. */
  readonly wakeAt: Instant | undefined
}

/**
 * Pure. A new state is posted at once, a new description of it after a while: the longer, the more of them there were, for forges count
 * them (GitHub takes 1,000 of one context beside one commit).
 * @param posted.repeats whether descriptions alone are posted at all
 */
export function duePosts(
  wanted: readonly Wanted[],
  { posted, repeats = true }: { readonly posted: ReadonlyMap<string, Posted>; readonly repeats?: boolean | undefined },
  now: Instant,
): DuePosts {
  const due: CommitStatus[] = []
  let wakeAt = Number.POSITIVE_INFINITY
  for (const { isPast, ...status } of wanted) {
    const before = posted.get(keyOf(status))
    if (isPast && (before === undefined || before.state === status.state)) continue
    if (before?.state === status.state && (!repeats || before.description === status.description)) continue
    // A clock that was put back says nothing of how long ago that was.
    const isAtOnce = before === undefined || before.state !== status.state || now < before.at
    const at = isAtOnce ? now : before.at + INTERVAL + LONGER_EACH_TIME * before.count
    if (at <= now) due.push(status)
    else wakeAt = Math.min(wakeAt, at)
  }
  return { due, wakeAt: Number.isFinite(wakeAt) ? wakeAt : undefined }
}

export function keyOf({ commit, context }: Pick<CommitStatus, 'commit' | 'context'>): string {
  return `${commit} ${context}`
}

import type { NodePoolStatus } from '../../protocol/node-pool.ts'
import type { Instant } from '../../rollout/model/instant.ts'

/** What the step of a rollout relies on: nodes of open waves, of which each has the content and is well, or some failed. */
type Steps = Partial<Pick<NodePoolStatus, 'wave' | 'rejected' | 'history' | 'nodes'>>

/** Milliseconds. Of nodes that change all the time something is always new: what is decided so soon after they were read, is decided upon that. */
const SOON = 10_000

/** Nodes of a pool. To read more for each failure would cost the API server too much. */
const MOST_EACH_TIME = 500

interface LastRead {
  readonly at: Instant
  /** Nodes turned out to be others than were known, and the pool was not decided upon that yet. */
  readonly isNews: boolean
}

export interface ConfirmedStepsOptions {
  /** Reads the nodes of a pool again. @returns whether any of them is another than it was known as */
  readonly refresh: (pool: string) => Promise<boolean>
  readonly now: () => Instant
}

/**
 * Opens waves, completes rollouts, rejects commits and counts failures only upon nodes as they are. The watch of nodes may be minutes behind
 * without a sign of it, where an API server is: then canaries look well that have failed, and late that have ended their work.
 */
export class ConfirmedSteps {
  readonly #options: ConfirmedStepsOptions
  /** By pool. */
  readonly #lastRead = new Map<string, LastRead>()

  constructor(options: ConfirmedStepsOptions) {
    this.#options = options
  }

  /** Asked of each decision about the pool: whether nodes are to be read before it is written, or acted upon. */
  isOpen(pool: string, { before, after }: { readonly before: Steps; readonly after: Steps }): boolean {
    // Where thousands of nodes fail, their number grows in every pass: then they are read now and then.
    const isOpen = isStep(before, after) || (countsMore(before, after) && !(isLarge(after) && this.#isSoon(pool)))
    // A step that is decided later is another one: nodes may have failed since they were read.
    if (!isOpen) this.#forgetNews(pool)
    return isOpen
  }

  /**
   * @returns false when nodes turned out to be others than the decision has seen: then it is to be decided again
   * @throws {KubeError} when they cannot be read
   */
  async confirm(pool: string, steps: { readonly before: Steps; readonly after: Steps }): Promise<boolean> {
    const { refresh, now } = this.#options
    if (!this.isOpen(pool, steps)) return true
    if (this.#lastRead.get(pool)?.isNews && this.#isSoon(pool)) {
      this.#forgetNews(pool)
      return true
    }
    const isNews = await refresh(pool)
    this.#lastRead.set(pool, { at: now(), isNews })
    return !isNews
  }

  #forgetNews(pool: string): void {
    const last = this.#lastRead.get(pool)
    if (last?.isNews) this.#lastRead.set(pool, { ...last, isNews: false })
  }

  /** They were read a moment ago. */
  #isSoon(pool: string): boolean {
    const { at = Number.NaN } = this.#lastRead.get(pool) ?? {}
    const age = this.#options.now() - at
    return age >= 0 && age < SOON
  }
}

function isLarge({ nodes }: Steps): boolean {
  return (nodes?.total ?? 0) > MOST_EACH_TIME
}

/** What has failed at one time in a rollout is remembered with it, whatever becomes of the nodes. */
function countsMore(before: Steps, after: Steps): boolean {
  const known = isSameRollout(before, after) ? before.history?.[0]?.failures : 0
  return (after.history?.[0]?.failures ?? 0) > (known ?? 0)
}

function isSameRollout({ history: [known] = [] }: Steps, { history: [entry] = [] }: Steps): boolean {
  return known?.startedAt === entry?.startedAt
}

/** Another wave opens after one that was to show something, or the target is now known to work, or a commit to fail. */
function isStep(before: Steps, after: Steps): boolean {
  return opensAnother(before, after) || completes(before, after) || rejects(before, after)
}

/** The first wave of a rollout relies on no node. More may open with it: nodes have the content where the rollout was forgotten, or is retried. */
function opensAnother(before: Steps, after: Steps): boolean {
  const known = (isSameRollout(before, after) && before.wave?.opened) || []
  const opened = after.wave?.opened ?? []
  return known.length + opened.length > 1 && opened.some((name) => !known.includes(name))
}

/** Also what was stable all the time: after a rollback, nodes have to come back to it. */
function completes({ history: [known] = [] }: Steps, { history: [entry] = [] }: Steps): boolean {
  return entry?.result === 'Completed' && !(known?.result === 'Completed' && known.startedAt === entry.startedAt)
}

function rejects({ rejected: before = [] }: Steps, { rejected: after = [] }: Steps): boolean {
  return after.some(({ fingerprint }) => !before.some((known) => known.fingerprint === fingerprint))
}

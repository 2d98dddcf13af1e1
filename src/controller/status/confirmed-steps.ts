import type { NodePoolStatus } from '../../protocol/node-pool.ts'
import type { Instant } from '../../rollout/model/instant.ts'

/** What the step of a rollout relies on: nodes of open waves, of which each has the content and is well, or some failed. */
type Steps = Partial<Pick<NodePoolStatus, 'wave' | 'stable' | 'target' | 'rejected'>>

/** Milliseconds. Of nodes that change all the time something is always new: what is decided so soon after they were read, is decided upon that. */
const SOON = 10_000

export interface ConfirmedStepsOptions {
  /** Reads the nodes of a pool again. @returns whether any of them is another than it was known as */
  readonly refresh: (pool: string) => Promise<boolean>
  readonly now: () => Instant
}

/**
 * Opens waves, completes rollouts and rejects commits only upon nodes as they are. The watch of nodes may be minutes behind without a sign of it,
 * where an API server is: then canaries look well that have failed, and late that have ended their work.
 */
export class ConfirmedSteps {
  readonly #options: ConfirmedStepsOptions
  /** When the nodes of a pool turned out to be others than were known. */
  readonly #newsAt = new Map<string, Instant>()

  constructor(options: ConfirmedStepsOptions) {
    this.#options = options
  }

  /**
   * @returns false when nodes turned out to be others than the decision has seen: then it is to be decided again
   * @throws {KubeError} when they cannot be read
   */
  async confirm(pool: string, { before, after }: { readonly before: Steps; readonly after: Steps }): Promise<boolean> {
    if (!isStep(before, after)) return true
    const { refresh, now } = this.#options
    const age = now() - (this.#newsAt.get(pool) ?? Number.NEGATIVE_INFINITY)
    this.#newsAt.delete(pool)
    if (age >= 0 && age < SOON) return true
    if (!(await refresh(pool))) return true
    this.#newsAt.set(pool, now())
    return false
  }
}

/** Another wave opens after one that was to show something, or the target becomes what is known to work, or a commit what is known to fail. */
function isStep(before: Steps, after: Steps): boolean {
  const opened = before.wave?.opened ?? []
  const opens = opened.length > 0 && (after.wave?.opened ?? []).some((name) => !opened.includes(name))
  return opens || after.stable?.fingerprint !== before.stable?.fingerprint || rejects(before, after)
}

function rejects({ rejected: before = [] }: Steps, { rejected: after = [] }: Steps): boolean {
  return after.some(({ fingerprint }) => !before.some((known) => known.fingerprint === fingerprint))
}

import { REVISION_KEYS } from '../../protocol/names.ts'
import type { HistoryEntry, NodePoolStatus } from '../../protocol/node-pool.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import { nodeEnd } from '../traces/node-spans.ts'
import type { Sample } from './sample.ts'
import type { FleetSource } from './telemetry.ts'

/** Seconds that something took which has ended, by kind. */
export interface Durations {
  /** From a node's assignment to the report of its agent. */
  readonly nodes: readonly Sample[]
  readonly rollouts: readonly Sample[]
  /** From a commit to the end of the rollout that completed it first. */
  readonly commits: readonly Sample[]
}

interface Ended {
  readonly pool: string
  readonly run: HistoryEntry
  readonly end: Instant
}

/** Finds what has ended in a fleet, whenever it is looked at. What ended before it began is not its own to tell. */
export class DurationRecorder {
  readonly #since: Instant
  /** By node: when the assignment was made whose end is known. */
  #nodes = new Map<string, Instant>()
  #runs = new Set<string>()

  constructor(since: Instant) {
    this.#since = since
  }

  /** @returns what has ended since the last look */
  observe(fleet: FleetSource, now: Instant): Durations {
    const runs = this.#endedRuns(fleet)
    const rollouts = runs.map(({ pool, run: { result, startedAt }, end }) =>
      sample({ pool, result }, { from: Date.parse(startedAt), to: end }),
    )
    return { nodes: this.#endedNodes(fleet, now), rollouts, commits: runs.flatMap((ended) => lagOf(ended, fleet)) }
  }

  #endedRuns({ pools }: FleetSource): readonly Ended[] {
    const ended = [...pools.items.values()].flatMap(({ name: pool, status: { history = [] } }) =>
      history.flatMap((run) => (run.endedAt === undefined ? [] : [{ pool, run, end: Date.parse(run.endedAt) }])),
    )
    const before = this.#runs
    this.#runs = new Set(ended.map(keyOf))
    return ended.filter((each) => each.end >= this.#since && !before.has(keyOf(each)))
  }

  #endedNodes({ nodes, pools }: FleetSource, now: Instant): readonly Sample[] {
    const before = this.#nodes
    this.#nodes = new Map()
    return [...nodes.items.values()].flatMap(({ view }) => {
      const { name, assigned } = view
      const isKnown = assigned?.at !== undefined && before.get(name) === assigned.at
      const ended = isKnown ? undefined : nodeEnd(view, now)
      if (isKnown || ended) this.#nodes.set(name, assigned?.at ?? 0)
      if (ended === undefined || ended.end < this.#since || !pools.items.has(ended.assigned.pool)) return []
      return [sample({ pool: ended.assigned.pool, result: ended.phase }, { from: ended.assigned.at, to: ended.appliedAt })]
    })
  }
}

function keyOf({ pool, run }: Ended): string {
  return `${pool} ${run.startedAt}`
}

/** A commit that is completed once more, as after a rollback, was waited for by nobody. */
function lagOf({ pool, run, end }: Ended, { pools, revisions }: FleetSource): readonly Sample[] {
  const status: Partial<NodePoolStatus> = pools.items.get(pool)?.status ?? {}
  if (run.result !== 'Completed' || wasCompleted(run, status) || status.rollback?.to.revision === run.revision) return []
  const stored = [...revisions.items.values()].find(({ revision }) => revision === run.revision)
  const committedAt = Number(stored?.annotations[REVISION_KEYS.committedAt] ?? Number.NaN)
  return Number.isNaN(committedAt) ? [] : [sample({ pool }, { from: committedAt, to: end })]
}

function wasCompleted(run: HistoryEntry, { history = [] }: Partial<NodePoolStatus>): boolean {
  return history.some(
    ({ revision, result, startedAt }) => revision === run.revision && result === 'Completed' && startedAt < run.startedAt,
  )
}

/** Of clocks of several machines. */
function sample(labels: Sample['labels'], { from, to }: { readonly from: Instant; readonly to: Instant }): Sample {
  return { labels, value: Math.max(0, to - from) / 1000 }
}

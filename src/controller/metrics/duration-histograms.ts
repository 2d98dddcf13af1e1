import { Histogram, type Registry } from 'prom-client'
import type { Durations } from './durations.ts'
import type { Sample } from './sample.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Seconds. Few, since each pool has a series for each. */
const NODE_BUCKETS = [15, 30, MINUTE, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR]
const ROLLOUT_BUCKETS = [5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR, 12 * HOUR, DAY, 7 * DAY]

/** @returns puts what has ended into histograms, of which each pool has some */
export function durationHistograms(registers: Registry[]): (ended: Durations, pools: Iterable<string>) => void {
  const nodes = new Histogram({
    name: 'nodewave_node_apply_seconds',
    help: 'Time from the assignment of a node to the report of its agent.',
    labelNames: ['pool', 'result'],
    buckets: NODE_BUCKETS,
    registers,
  })
  const rollouts = new Histogram({
    name: 'nodewave_rollout_seconds',
    help: 'Time from the start of a rollout to its end.',
    labelNames: ['pool', 'result'],
    buckets: ROLLOUT_BUCKETS,
    registers,
  })
  const commits = new Histogram({
    name: 'nodewave_commit_lag_seconds',
    help: 'Time from a commit to the end of the rollout that completed it in a pool for the first time.',
    labelNames: ['pool'],
    buckets: ROLLOUT_BUCKETS,
    registers,
  })
  const begun = new Set<string>()
  // From zero: a series that begins with its first rollout shows no increase by that.
  const begin = (pool: string): void => {
    nodes.zero({ pool, result: 'Applied' })
    rollouts.zero({ pool, result: 'Completed' })
    commits.zero({ pool })
    begun.add(pool)
  }
  return (ended, pools) => {
    for (const pool of pools) if (!begun.has(pool)) begin(pool)
    observe(nodes, ended.nodes)
    observe(rollouts, ended.rollouts)
    observe(commits, ended.commits)
  }
}

function observe(histogram: Histogram, samples: readonly Sample[]): void {
  for (const { labels, value } of samples) histogram.observe(labels, value)
}

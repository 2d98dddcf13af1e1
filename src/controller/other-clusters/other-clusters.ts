import type { Awaited } from '../../rollout/model/fleet-facts.ts'
import type { PoolOfCluster } from '../../rollout/model/policy.ts'

/** What pools of other clusters have completed. */
export interface OtherClusters {
  /** The commit that some pool waits with; undefined: none does. */
  follow(commit: string | undefined): void
  /** Those of the pools that have not completed the commit, as far as is known. */
  awaited(pools: readonly PoolOfCluster[], commit: string): readonly Awaited[]
  run(signal: AbortSignal): Promise<void>
}

/** Where there is nobody to ask. */
export const NOBODY_TO_ASK: OtherClusters = {
  follow: () => {},
  awaited: (pools) => pools.map((pool) => ({ pool: nameOf(pool), failed: false, why: NOT_SET_UP })),
  run: async () => {},
}

const NOT_SET_UP = 'whose status is not read: start the controller with --status-forge and --status-account'

/** For a simulation: all of them have completed every commit. */
export const ALL_COMPLETED: OtherClusters = { ...NOBODY_TO_ASK, awaited: () => [] }

export function nameOf({ cluster, pool }: PoolOfCluster): string {
  return `${cluster}/${pool}`
}

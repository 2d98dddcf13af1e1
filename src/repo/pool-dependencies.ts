import type { NodePoolSpec, PoolOfCluster } from './schema/node-pool.ts'

export interface PoolDependencies {
  /** Pools of this cluster. */
  readonly dependsOn: readonly string[]
  readonly dependsOnClusters: readonly PoolOfCluster[]
}

/** Which pools must complete a commit before this pool starts it. */
export function poolDependencies({ dependsOn = [] }: NodePoolSpec): PoolDependencies {
  return {
    dependsOn: dependsOn.filter((each) => typeof each === 'string'),
    dependsOnClusters: dependsOn.filter((each) => typeof each !== 'string'),
  }
}

import { nodePoolsPath } from '../../controller/cache/node-pool-view.ts'
import { KubeError } from '../../kube/kube-api.ts'
import { hasRun } from '../../rollout/target/version-blockers.ts'
import type { CliIo } from '../cli-io.ts'
import { connectTo } from '../cluster.ts'
import type { NodeSource } from '../read-nodes.ts'
import { type PoolStatusView, projectPool } from '../status/pool-view.ts'

/** The pools of the cluster by name, or why nothing is known of them. */
export type KnownPools = ReadonlyMap<string, PoolStatusView> | 'NoCluster' | 'NotReadable'

/** The NodePools of the cluster; `NotReadable` where the cluster does not have the kind, or does not let us read it. */
export async function readKnownPools(io: CliIo, source: NodeSource): Promise<KnownPools> {
  if (source.nodes !== undefined) return 'NoCluster'
  try {
    const kube = await connectTo(io, source)
    const { items } = await kube.list(nodePoolsPath(), { project: projectPool })
    return new Map(items.map((pool) => [pool.name, pool]))
  } catch (error) {
    if (error instanceof KubeError && error.reaction === 'refuse') return 'NotReadable'
    throw error
  }
}

/** Whether a pool has run this content before, as far as anybody remembers. */
export function hasRunIn(pools: KnownPools, pool: string, fingerprint: string): boolean {
  return typeof pools !== 'string' && hasRun(pools.get(pool)?.status ?? {}, { fingerprint })
}

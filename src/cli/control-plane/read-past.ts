import { nodePoolsPath, projectNodePool } from '../../controller/cache/node-pool-view.ts'
import { KubeError } from '../../kube/kube-api.ts'
import { hasRun } from '../../rollout/target/version-blockers.ts'
import type { CliIo } from '../cli-io.ts'
import { connectTo } from '../cluster.ts'
import type { NodeSource } from '../read-nodes.ts'

/** Whether a pool has run this content before, as far as anybody remembers. */
export type HasRun = (pool: string, fingerprint: string) => boolean

/** What the NodePools of the cluster remember; nothing, where there is no cluster, or none with NodePools that may be read. */
export async function readPast(io: CliIo, source: NodeSource): Promise<HasRun> {
  if (source.nodes !== undefined) return () => false
  try {
    const kube = await connectTo(io, source)
    const { items } = await kube.list(nodePoolsPath(), { project: projectNodePool })
    const pools = new Map(items.map(({ name, status }) => [name, status]))
    return (pool, fingerprint) => hasRun(pools.get(pool) ?? {}, { fingerprint })
  } catch (error) {
    if (error instanceof KubeError && error.reaction === 'refuse') return () => false
    throw error
  }
}

import type { KubeApi, KubeObject } from '../../kube/kube-api.ts'
import { KubeError } from '../../kube/kube-api.ts'
import { type NodePoolView, nodePoolsPath, projectNodePool } from '../cache/node-pool-view.ts'
import type { ObjectCache } from '../cache/object-cache.ts'

export interface PoolObjects {
  readonly kube: KubeApi
  readonly pools: ObjectCache<NodePoolView>
}

/**
 * A write that is based on the version of `known`. On a conflict the object is read again: the watch may be behind, perhaps for long, and what
 * was refused would be written again and again.
 * @throws {KubeError} when it is refused
 */
export async function writePool(
  { kube, pools }: PoolObjects,
  known: NodePoolView,
  write: (kube: KubeApi, path: string) => Promise<KubeObject>,
): Promise<NodePoolView> {
  const { name, resourceVersion } = known
  const path = nodePoolsPath(name)
  try {
    const written = projectNodePool(await write(kube, path))
    pools.wrote(written)
    return written
  } catch (error) {
    if (error instanceof KubeError && error.reaction === 'conflict') {
      pools.refused(name, resourceVersion)
      if (pools.get(name)?.resourceVersion === resourceVersion)
        await pools.catchUp(async () => [projectNodePool(await kube.get<KubeObject>(path))])
    }
    throw error
  }
}

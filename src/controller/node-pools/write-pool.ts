import type { KubeApi, KubeObject } from '../../kube/kube-api.ts'
import { KubeError } from '../../kube/kube-api.ts'
import { type NodePoolView, nodePoolsPath, projectNodePool } from '../cache/node-pool-view.ts'
import type { ObjectCache } from '../cache/object-cache.ts'
import { refreshNamed } from '../cache/refresh-named.ts'
import { afterConflict, gone } from '../writes/after-conflict.ts'

export interface PoolObjects {
  readonly kube: KubeApi
  readonly pools: ObjectCache<NodePoolView>
}

/**
 * What the server does not find is gone, though the watch may not tell so for long: until then it would be written again and again, and not created.
 * @throws {KubeError} when it is refused; of reason `Gone` when it is gone: then it is to be decided again
 */
export async function writePool(
  objects: PoolObjects,
  known: NodePoolView,
  write: (kube: KubeApi, path: string) => Promise<KubeObject>,
): Promise<NodePoolView> {
  try {
    const written = projectNodePool(await basedOn(known, objects, () => write(objects.kube, nodePoolsPath(known.name))))
    objects.pools.wrote(written)
    return written
  } catch (error) {
    if (error instanceof KubeError && error.code === 404 && (await isGone(known.name, objects)))
      throw gone(`NodePool "${known.name}"`, error)
    throw error
  }
}

/** @throws {KubeError} when it cannot be read */
async function isGone(name: string, { kube, pools }: PoolObjects): Promise<boolean> {
  const selector = { fieldSelector: `metadata.name=${name}` }
  await refreshNamed(pools, [name], () => kube.list(nodePoolsPath(), { project: projectNodePool, ...selector }))
  // A list that is older than what is known, as of a server that was restored from a backup, takes nothing away.
  return pools.get(name) === undefined
}

/**
 * A write that is based on the version of `known`.
 * @throws {Error} when it is refused; a KubeError that is a conflict when another version is known by then
 */
export async function basedOn<T>(known: NodePoolView, { kube, pools }: PoolObjects, write: () => Promise<T>): Promise<T> {
  const { name } = known
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof KubeError && error.reaction === 'conflict')) throw error
    const refresh = () => pools.catchUp(async () => [projectNodePool(await kube.get<KubeObject>(nodePoolsPath(name)))])
    throw await afterConflict(known, { objects: pools, refresh }, error)
  }
}

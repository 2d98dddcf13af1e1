import { isDeepStrictEqual } from 'node:util'
import type { KubeApi, KubeObject } from '../../kube/kube-api.ts'
import { KubeError } from '../../kube/kube-api.ts'
import { MANAGER, OBJECT_KEYS } from '../../protocol/names.ts'
import { NODEPOOL_API_VERSION, type NodePoolView, nodePoolsPath, projectNodePool } from '../cache/node-pool-view.ts'
import type { ObjectCache } from '../cache/object-cache.ts'
import { forEach } from '../execution/for-each.ts'
import type { CompiledFleet, CompiledPool } from '../revisions/compiled-fleet.ts'

export interface PoolObjects {
  readonly kube: KubeApi
  readonly pools: ObjectCache<NodePoolView>
}

/**
 * Makes the NodePool objects those of the repository. A pool that left the repository loses its object and with it its
 * history; its nodes keep the configuration, the annotation and the label that they have. Objects that people made are left alone.
 * @returns what the server refused
 */
export async function mirrorPools(objects: PoolObjects, fleet: CompiledFleet): Promise<readonly unknown[]> {
  const gone = [...objects.pools.items.values()].filter(
    ({ name, managed, deleting }) => managed && !deleting && !fleet.pools.has(name),
  )
  const refused = await forEach(fleet.pools.values(), {}, (pool) => mirrorPool(objects, pool))
  const stayed = await forEach(gone, {}, (view) => removePool(objects, view))
  return [...refused.values(), ...stayed.values()]
}

async function mirrorPool({ kube, pools }: PoolObjects, { name, spec }: CompiledPool): Promise<void> {
  const known = pools.get(name)
  if (!known) return createPool({ kube, pools }, { name, spec })
  if (known.deleting || isDeepStrictEqual(known.spec, spec)) return
  // As a precondition: what a process that leads no more sends late is refused, and not the last word.
  const version = { op: 'replace', path: '/metadata/resourceVersion', value: known.resourceVersion }
  const patch = [{ op: 'replace', path: '/spec', value: spec }, version]
  pools.wrote(projectNodePool(await kube.patch<KubeObject>(nodePoolsPath(name), patch, { type: 'json' })))
}

async function createPool({ kube, pools }: PoolObjects, { name, spec }: Pick<CompiledPool, 'name' | 'spec'>): Promise<void> {
  const metadata = { name, labels: { [OBJECT_KEYS.managedBy]: MANAGER } }
  try {
    const body = { apiVersion: NODEPOOL_API_VERSION, kind: 'NodePool', metadata, spec }
    pools.wrote(projectNodePool(await kube.create<KubeObject>(nodePoolsPath(), body)))
  } catch (error) {
    if (!(error instanceof KubeError && error.reason === 'AlreadyExists')) throw error
    pools.wrote(projectNodePool(await kube.get<KubeObject>(nodePoolsPath(name))))
  }
}

async function removePool({ kube, pools }: PoolObjects, view: NodePoolView): Promise<void> {
  try {
    await kube.delete(nodePoolsPath(view.name), {
      body: { preconditions: { uid: view.uid, resourceVersion: view.resourceVersion } },
    })
  } catch (error) {
    if (!(error instanceof KubeError && error.code === 404)) throw error
  }
  pools.deleted(view.name)
}

import { isDeepStrictEqual } from 'node:util'
import type { KubeObject } from '../../kube/kube-api.ts'
import { KubeError } from '../../kube/kube-api.ts'
import { MANAGER, OBJECT_KEYS } from '../../protocol/names.ts'
import { NODEPOOL_API_VERSION, type NodePoolView, nodePoolsPath, projectNodePool } from '../cache/node-pool-view.ts'
import type { CompiledFleet, CompiledPool } from '../fleet/compiled-fleet.ts'
import { unfounded } from '../writes/after-conflict.ts'
import { standingControls } from './standing-controls.ts'
import { basedOn, type PoolObjects, writePool } from './write-pool.ts'

/**
 * Makes the NodePool objects those of the repository. A pool that left the repository loses its object and with it its
 * history; its nodes keep the configuration, the annotation and the label that they have. Objects that people made are left alone.
 */
export class PoolMirror {
  readonly #objects: PoolObjects
  /** By pool, the spec that was seen in the cluster as the repository has it. */
  readonly #mirrored = new Map<string, CompiledPool['spec']>()
  /** By pool, its object as it was seen last. */
  readonly #seen = new Map<string, NodePoolView>()

  constructor(objects: PoolObjects) {
    this.#objects = objects
  }

  /** What operators ask of each pool now, for the case that somebody deletes its object. */
  remember({ pools }: Pick<CompiledFleet, 'pools'>): void {
    for (const name of this.#seen.keys()) if (!pools.has(name)) this.#seen.delete(name)
    for (const name of pools.keys()) {
      const view = this.#objects.pools.get(name)
      if (view) this.#seen.set(name, view)
    }
  }

  /** A pool whose object is being deleted counts as mirrored: it is created again once it is gone. */
  isMirrored({ name, spec }: Pick<CompiledPool, 'name' | 'spec'>): boolean {
    const known = this.#objects.pools.get(name)
    if (known?.deleting !== true && !isDeepStrictEqual(known?.spec, spec)) return false
    this.#mirrored.set(name, spec)
    return true
  }

  /**
   * Makes the object, or writes its spec.
   * @returns what it undoes that somebody else did to the object
   * @throws {Error} when it is refused, or the server keeps something else
   */
  async mirror(pool: Pick<CompiledPool, 'name' | 'spec'>): Promise<{ readonly undoes?: 'edit' | 'deletion' }> {
    const { name, spec } = pool
    const known = this.#objects.pools.get(name)
    const isOthers = isDeepStrictEqual(this.#mirrored.get(name), spec)
    const seen = this.#seen.get(name)
    if (!known) await createPool(this.#objects, { ...pool, annotations: seen && standingControls(seen) })
    else {
      // As a precondition: what a process that leads no more sends late is refused, and not the last word.
      const version = { op: 'replace', path: '/metadata/resourceVersion', value: known.resourceVersion }
      const patch = [{ op: 'replace', path: '/spec', value: spec }, version]
      const written = await writePool(this.#objects, known, (kube, path) => kube.patch<KubeObject>(path, patch, { type: 'json' }))
      refuseOtherSpec(name, { meant: spec, kept: written.spec })
    }
    this.#mirrored.set(name, spec)
    return isOthers ? { undoes: known ? 'edit' : 'deletion' } : {}
  }

  /** Objects of pools that the repository has no more. */
  gone(fleet: Pick<CompiledFleet, 'pools'>): readonly NodePoolView[] {
    return [...this.#objects.pools.items.values()].filter(
      ({ name, managed, deleting }) => managed && !deleting && !fleet.pools.has(name),
    )
  }

  async remove(view: NodePoolView): Promise<{ readonly isDone: boolean }> {
    const { kube, pools } = this.#objects
    const preconditions = { uid: view.uid, resourceVersion: view.resourceVersion }
    try {
      await basedOn(view, this.#objects, () => kube.delete(nodePoolsPath(view.name), { body: { preconditions } }))
    } catch (error) {
      if (!(error instanceof KubeError && error.code === 404)) throw error
    }
    pools.deleted(view)
    this.#mirrored.delete(view.name)
    return { isDone: true }
  }
}

interface NewPool extends Pick<CompiledPool, 'name' | 'spec'> {
  readonly annotations: Readonly<Record<string, string>> | undefined
}

/** @throws {Error} when it is refused, or is not known then: it would be created again and again */
async function createPool({ kube, pools }: PoolObjects, { name, spec, annotations }: NewPool): Promise<void> {
  const metadata = { name, labels: { [OBJECT_KEYS.managedBy]: MANAGER }, ...(annotations && { annotations }) }
  try {
    const body = { apiVersion: NODEPOOL_API_VERSION, kind: 'NodePool', metadata, spec }
    const created = projectNodePool(await kube.create<KubeObject>(nodePoolsPath(), body))
    pools.wrote(created)
    refuseOtherSpec(name, { meant: spec, kept: created.spec })
  } catch (error) {
    if (!(error instanceof KubeError && error.reason === 'AlreadyExists'))
      throw error instanceof KubeError && error.reaction === 'conflict' ? unfounded(error) : error
    pools.wrote(projectNodePool(await kube.get<KubeObject>(nodePoolsPath(name))))
  }
  if (!pools.get(name))
    throw new Error(`create NodePool "${name}": it is there, and the watch of NodePools has told of a later deletion`)
}

interface Kept {
  readonly meant: CompiledPool['spec']
  readonly kept: unknown
}

/** What the server drops or changes with each write would be written again and again. */
function refuseOtherSpec(name: string, { meant, kept }: Kept): void {
  const found: Readonly<Record<string, unknown>> = Object(kept)
  const members = new Set([...Object.keys(meant), ...Object.keys(found)])
  const changed = [...members].filter((member) => !isDeepStrictEqual(meant[member], found[member]))
  if (changed.length === 0) return
  const what = changed.map((member) => `"${member}"`).join(', ')
  throw new Error(
    `write spec of pool "${name}": the cluster does not keep its ${what} as written; a webhook changes it, or the NodePool kind there is another than this controller's: kubectl apply -f deploy/crds/nodepools.yaml`,
  )
}

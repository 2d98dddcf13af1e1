import { isDeepStrictEqual } from 'node:util'
import type { KubeObject } from '../kube/kube-api.ts'
import { KubeError } from '../kube/kube-api.ts'
import type { NodePoolStatus } from '../protocol/node-pool.ts'
import type { Instant } from '../rollout/instant.ts'
import { essence } from './complete-status.ts'
import type { PoolObjects } from './mirror-pools.ts'
import { NODEPOOL_API_VERSION, type NodePoolView, nodePoolsPath, projectNodePool } from './node-pool-view.ts'

/** Mere counts are written this often, in milliseconds: a report of each node must not cost a request. */
const COUNTS_EVERY = 1000

/** Writes the status of NodePools, through the status subresource, and only when it says something new. */
export class StatusWriter {
  readonly #objects: PoolObjects
  readonly #written = new Map<string, Instant>()

  constructor(objects: PoolObjects) {
    this.#objects = objects
  }

  /**
   * @returns when counts that were left for later are due
   * @throws {Error} when the status could not be written: then nothing may be done that relies on its being there
   */
  async write(
    name: string,
    { status, now }: { readonly status: NodePoolStatus; readonly now: Instant },
  ): Promise<Instant | undefined> {
    const view = this.#objects.pools.get(name)
    if (!view) throw new Error(`write status of pool "${name}": it has no NodePool object`)
    if (isDeepStrictEqual(view.status, status)) return undefined
    const next = (this.#written.get(name) ?? 0) + COUNTS_EVERY
    if (now < next && isDeepStrictEqual(essence(view.status), essence(status))) return next
    await this.#replace(view, status)
    this.#written.set(name, now)
    return undefined
  }

  async #replace(view: NodePoolView, status: NodePoolStatus): Promise<void> {
    const { name, resourceVersion } = view
    const body = {
      apiVersion: NODEPOOL_API_VERSION,
      kind: 'NodePool',
      metadata: { name, resourceVersion },
      spec: view.spec,
      status,
    }
    const { kube, pools } = this.#objects
    try {
      pools.wrote(projectNodePool(await kube.replace<KubeObject>(`${nodePoolsPath(name)}/status`, body)))
    } catch (error) {
      if (error instanceof KubeError && error.reaction === 'conflict') pools.refused(name, resourceVersion)
      throw error
    }
  }
}

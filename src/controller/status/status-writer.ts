import { isDeepStrictEqual } from 'node:util'
import type { KubeObject } from '../../kube/kube-api.ts'
import type { NodePoolStatus } from '../../protocol/node-pool.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import { NODEPOOL_API_VERSION, type NodePoolView } from '../cache/node-pool-view.ts'
import { type PoolObjects, writePool } from '../node-pools/write-pool.ts'
import { essence } from './complete-status.ts'
import { UnkeptMembers } from './unkept-members.ts'

/** The default, in milliseconds. */
const COUNTS_EVERY = 1000

export interface StatusWriterOptions extends PoolObjects {
  /** Mere counts are written so often, in milliseconds: a report of each node must not cost a request. */
  readonly countsEvery?: number | undefined
}

export interface DatedStatus {
  readonly status: NodePoolStatus
  readonly now: Instant
}

/** Writes the status of NodePools, through the status subresource, and only when it says something new. */
export class StatusWriter {
  readonly #objects: PoolObjects
  readonly #countsEvery: number
  readonly #written = new Map<string, Instant>()
  readonly #unkept = new UnkeptMembers()

  constructor({ countsEvery = COUNTS_EVERY, ...objects }: StatusWriterOptions) {
    this.#objects = objects
    this.#countsEvery = countsEvery
  }

  /** With what the cluster does not keep of its status. */
  completed(view: NodePoolView): NodePoolView {
    return this.#unkept.completed(view)
  }

  /** When it is to be written: not later than now for what is news; later for mere counts; undefined when it stands there already. */
  dueAt(name: string, { status, now }: DatedStatus): Instant | undefined {
    const view = this.#objects.pools.get(name)
    if (!view) return now
    if (isDeepStrictEqual(view.status, status)) return undefined
    const written = this.#written.get(name)
    // A clock that was put back says nothing of how long ago that was.
    if (written === undefined || now < written || this.isNews(name, status)) return now
    return Math.max(now, written + this.#countsEvery)
  }

  /** It says more than other counts and texts. */
  isNews(name: string, status: NodePoolStatus): boolean {
    const view = this.#objects.pools.get(name)
    return !view || !isDeepStrictEqual(essence(view.status), essence(status))
  }

  /**
   * @returns when counts that were left for later are due
   * @throws {Error} when the status could not be written: then nothing may be done that relies on its being there
   */
  async write(name: string, { status, now }: DatedStatus): Promise<Instant | undefined> {
    const view = this.#objects.pools.get(name)
    if (!view) throw new Error(`write status of pool "${name}": it has no NodePool object`)
    const dueAt = this.dueAt(name, { status, now })
    if (dueAt === undefined || dueAt > now) return dueAt
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
    const written = await writePool(this.#objects, view, (kube, path) => kube.replace<KubeObject>(`${path}/status`, body))
    this.#unkept.wrote(status, written)
  }
}

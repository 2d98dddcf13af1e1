import { type KubeApi, KubeError } from '../../kube/kube-api.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import {
  projectBinding,
  type Readable,
  type SharedPayload,
  type StoredAccess,
  sharedBinding,
  sharedPath,
} from '../cache/access-objects.ts'
import type { ObjectCache } from '../cache/object-cache.ts'

/** Between the first look and the change, in milliseconds: an assignment may be on its way. */
export const GRACE = 10 * 60_000

export interface UnseenOptions {
  readonly kube: KubeApi
  readonly namespace: string
  readonly bindings: ObjectCache<StoredAccess>
  readonly payloadOf: (readable: Readable) => SharedPayload | undefined
}

interface Unseen {
  readonly readable: Readable
  /** Of the first look at it. */
  readonly since?: Instant
}

/** RoleBindings that are there and not seen: somebody removed their labels, or another controller made them a moment ago. */
export class UnseenBindings {
  readonly #options: UnseenOptions
  readonly #byName = new Map<string, Unseen>()

  constructor(options: UnseenOptions) {
    this.#options = options
  }

  has(name: string): boolean {
    return this.#byName.has(name)
  }

  note(name: string, readable: Readable): void {
    this.#byName.set(name, { readable })
  }

  /**
   * Those whose labels somebody removed get them again, and no node: who needs the right has another RoleBinding by now, and the others
   * would keep it.
   * @throws {KubeError}
   */
  async adopt(now: Instant): Promise<void> {
    for (const [name, { readable, since = now }] of [...this.#byName]) {
      const payload = this.#options.payloadOf(readable)
      if (!payload || this.#options.bindings.get(name)) this.#byName.delete(name)
      else if (now - since < GRACE) this.#byName.set(name, { readable, since })
      else if (await this.#empty(payload, name)) this.#byName.delete(name)
    }
  }

  /** The server refuses it for one that gives another Role: that is not ours. */
  async #empty(payload: SharedPayload, name: string): Promise<boolean> {
    const { kube, namespace, bindings } = this.#options
    const body = sharedBinding(payload, { name, nodes: [] })
    const query = { fieldManager: 'nodewave-controller', force: 'true' }
    try {
      const path = sharedPath(namespace, 'rolebindings', name)
      bindings.wrote(projectBinding(await kube.patch(path, body, { type: 'apply', query })))
      return true
    } catch (error) {
      if (error instanceof KubeError && error.reaction === 'refuse') return false
      throw error
    }
  }
}

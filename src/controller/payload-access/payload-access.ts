import type { KubeApi, KubeObject } from '../../kube/kube-api.ts'
import { accessName } from '../../protocol/names.ts'
import type { ObjectCache } from '../cache/object-cache.ts'
import {
  type AccessCollection,
  accessBinding,
  accessPath,
  accessRole,
  type NodeIdentity,
  projectBinding,
  projectRole,
  type Readable,
  type StoredAccess,
} from './access-objects.ts'

export interface PayloadAccessOptions {
  readonly kube: KubeApi
  readonly namespace: string
  readonly roles: ObjectCache<StoredAccess>
  readonly bindings: ObjectCache<StoredAccess>
}

export interface AccessedNode extends NodeIdentity {
  /** Names of the payloads that its annotations speak of: they stay readable. */
  readonly payloads: readonly string[]
}

/** Lets each node read its own payloads: a Role and a RoleBinding a node, written before the node is assigned a payload. */
export class PayloadAccess {
  readonly #options: PayloadAccessOptions
  readonly #underWay = new Map<string, Promise<void>>()

  constructor(options: PayloadAccessOptions) {
    this.#options = options
  }

  /** Whether the node may read all of them, as far as the watches tell. */
  isGranted(node: NodeIdentity, readable: readonly Readable[]): boolean {
    const { roles, bindings } = this.#options
    const [role, binding] = [roles.get(accessName(node.name)), bindings.get(accessName(node.name))]
    const isCurrent = (stored: StoredAccess | undefined) => stored?.isAsMeant === true && stored.owner === node.uid
    return isCurrent(role) && isCurrent(binding) && readable.every((object) => role?.readable.includes(object))
  }

  /** One write of a node after another: what the second adds must not take away what the first added. @throws {KubeError} */
  async ensure(node: AccessedNode, readable: readonly Readable[]): Promise<void> {
    const before = this.#underWay.get(node.name)
    const write = (before ?? Promise.resolve()).catch(() => undefined).then(() => this.#write(node, readable))
    this.#underWay.set(node.name, write)
    try {
      await write
    } finally {
      if (this.#underWay.get(node.name) === write) this.#underWay.delete(node.name)
    }
  }

  async #write(node: AccessedNode, readable: readonly Readable[]): Promise<void> {
    if (readable.length === 0 || this.isGranted(node, readable)) return
    const { namespace, roles, bindings } = this.#options
    const kept = (roles.get(accessName(node.name))?.readable ?? []).filter((object) => node.payloads.includes(nameOf(object)))
    // The Role first: the server wants to see what a RoleBinding gives.
    const role = accessRole(namespace, node, [...kept, ...readable])
    roles.wrote(projectRole(await this.#apply('roles', node, role)))
    const binding = bindings.get(accessName(node.name))
    if (binding?.isAsMeant === true && binding.owner === node.uid) return
    bindings.wrote(projectBinding(await this.#apply('rolebindings', node, accessBinding(namespace, node))))
  }

  #apply(collection: AccessCollection, node: NodeIdentity, object: object): Promise<KubeObject> {
    const { kube, namespace } = this.#options
    const query = { fieldManager: 'nodewave-controller', force: 'true' }
    return kube.patch<KubeObject>(accessPath(namespace, collection, node.name), object, { type: 'apply', query })
  }
}

function nameOf(object: Readable): string {
  return object.slice(object.indexOf('/') + 1)
}

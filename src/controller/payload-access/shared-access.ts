import { type KubeApi, KubeError, type KubeObject } from '../../kube/kube-api.ts'
import { sharedAccessName } from '../../protocol/names.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import {
  accessPath,
  type NodesOfBinding,
  nameOf,
  projectBinding,
  projectRole,
  type Readable,
  type SharedPayload,
  type StoredAccess,
  sharedBinding,
  sharedPath,
  sharedRole,
} from '../cache/access-objects.ts'
import type { ObjectCache } from '../cache/object-cache.ts'
import { forEach, throwFirst } from '../writes/for-each.ts'
import { Batches } from './batches.ts'
import { planBindings } from './plan-bindings.ts'
import { UnseenBindings } from './unseen-bindings.ts'

/** Each may wait for seconds: before it answers, the server makes sure that it knows every Role and RoleBinding. */
const IN_FLIGHT = 16

export interface SharedAccessOptions {
  readonly kube: KubeApi
  readonly namespace: string
  readonly roles: ObjectCache<StoredAccess>
  readonly bindings: ObjectCache<StoredAccess>
  /** uid of the ConfigMap or Secret. Undefined: it is not there. */
  readonly uidOf: (readable: Readable) => string | undefined
}

/**
 * Lets many nodes read one payload: one Role, and RoleBindings that name the nodes. The nodes that wait are written together, so a node
 * costs much less than a write.
 */
export class SharedAccess {
  readonly #options: SharedAccessOptions
  readonly #batches = new Batches<Readable>((readable, nodes) => this.#write(readable, nodes))
  /** Nodes whose right is being taken away. */
  readonly #leaving = new Map<Readable, ReadonlySet<string>>()
  readonly #nodes = new WeakMap<StoredAccess, ReadonlySet<string>>()
  readonly #unseen: UnseenBindings

  constructor(options: SharedAccessOptions) {
    this.#options = options
    this.#unseen = new UnseenBindings({ ...options, payloadOf: (readable) => this.#payload(readable) })
  }

  /** Whether the payload has such a Role already. */
  isOpen(readable: Readable): boolean {
    const payload = this.#payload(readable)
    return payload !== undefined && this.#isRoleCurrent(payload)
  }

  has(node: string, readable: Readable): boolean {
    const payload = this.#payload(readable)
    if (!payload || !this.#isRoleCurrent(payload) || this.#leaving.get(readable)?.has(node) === true) return false
    // One that belongs to a payload that was deleted is about to be deleted, too.
    return this.bindingsOf(readable).some((binding) => binding.owner === payload.uid && this.#nodesOf(binding).has(node))
  }

  /** @throws {KubeError} */
  async grant(nodes: readonly string[], readable: Readable): Promise<void> {
    const missing = nodes.filter((node) => !this.has(node, readable))
    if (missing.length > 0) await this.#batches.add(readable, missing)
  }

  /** Takes the right from these nodes. One of them that is granted it meanwhile keeps it. @throws {KubeError} */
  async revoke(readable: Readable, nodes: ReadonlySet<string>): Promise<void> {
    this.#leaving.set(readable, nodes)
    try {
      await this.#batches.add(readable, [])
    } finally {
      if (this.#leaving.get(readable) === nodes) this.#leaving.delete(readable)
    }
  }

  /** @throws {KubeError} */
  adoptUnseen(now: Instant): Promise<void> {
    return this.#unseen.adopt(now)
  }

  /** Those that give its Role, whichever of their numbers are there: somebody may have deleted one. */
  bindingsOf(readable: Readable): readonly StoredAccess[] {
    return [...this.#options.bindings.group(sharedAccessName(nameOf(readable)))]
  }

  async #write(readable: Readable, joining: ReadonlySet<string>): Promise<void> {
    const payload = this.#payload(readable)
    if (!payload) throw new Error(`let nodes read "${readable}": it is not there`)
    await this.#ensureRole(payload)
    // Who leaves and joins at once stays.
    const leaving = this.#leaving.get(readable) ?? new Set()
    const missing = [...joining].filter((node) => !this.has(node, readable))
    const isTaken = (name: string) => this.#unseen.has(name) || this.#options.bindings.get(name) !== undefined
    const writes = planBindings(this.bindingsOf(readable), { payload, leaving, joining: missing, isTaken })
    const failed = await forEach(writes, { atOnce: IN_FLIGHT }, (write) => this.#writeBinding(payload, write))
    throwFirst([...failed.values()])
  }

  async #ensureRole(payload: SharedPayload): Promise<void> {
    if (this.#isRoleCurrent(payload)) return
    const { kube, namespace, roles } = this.#options
    const path = sharedPath(namespace, 'roles', sharedAccessName(nameOf(payload.readable)))
    const query = { fieldManager: 'nodewave-controller', force: 'true' }
    roles.wrote(projectRole(await kube.patch<KubeObject>(path, sharedRole(payload), { type: 'apply', query })))
  }

  /** At the version that is known: what another controller added meanwhile is not taken away. */
  async #writeBinding(payload: SharedPayload, write: NodesOfBinding): Promise<void> {
    const { kube, namespace, bindings } = this.#options
    const body = sharedBinding(payload, write) as KubeObject
    const known = bindings.get(write.name)
    const written = known
      ? await kube.patch<KubeObject>(sharedPath(namespace, 'rolebindings', known.name), {
          metadata: { resourceVersion: known.resourceVersion, ownerReferences: body.metadata.ownerReferences },
          subjects: body.subjects,
        })
      : await this.#create(body, payload)
    bindings.wrote(projectBinding(written))
  }

  /** Where the name is taken, the next try takes another one. */
  async #create(binding: KubeObject, { readable }: SharedPayload): Promise<KubeObject> {
    const { kube, namespace } = this.#options
    try {
      return await kube.create<KubeObject>(accessPath(namespace, 'rolebindings'), binding)
    } catch (error) {
      if (error instanceof KubeError && error.reason === 'AlreadyExists') this.#unseen.note(binding.metadata.name, readable)
      throw error
    }
  }

  #payload(readable: Readable): SharedPayload | undefined {
    const uid = this.#options.uidOf(readable)
    return uid === undefined ? undefined : { namespace: this.#options.namespace, readable, uid }
  }

  #isRoleCurrent({ readable, uid }: SharedPayload): boolean {
    const role = this.#options.roles.get(sharedAccessName(nameOf(readable)))
    return role?.isAsMeant === true && role.owner === uid && role.readable.length === 1 && role.readable[0] === readable
  }

  #nodesOf(binding: StoredAccess): ReadonlySet<string> {
    const nodes = this.#nodes.get(binding) ?? new Set(binding.nodes)
    this.#nodes.set(binding, nodes)
    return nodes
  }
}

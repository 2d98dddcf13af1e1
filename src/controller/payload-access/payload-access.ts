import type { KubeObject } from '../../kube/kube-api.ts'
import { accessName } from '../../protocol/names.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import {
  type AccessCollection,
  accessBinding,
  accessPath,
  accessRole,
  type NodeIdentity,
  nameOf,
  projectBinding,
  projectRole,
  type Readable,
  type StoredAccess,
} from '../cache/access-objects.ts'
import { SharedAccess, type SharedAccessOptions } from './shared-access.ts'
import { type Needs, UnneededAccess } from './unneeded-access.ts'

/** From so many nodes on that need it, a payload has a Role of its own: for fewer, its two objects cost more than they save. */
const SHARED_FROM = 10

export interface AccessedNode extends NodeIdentity {
  /** Names of the payloads that its annotations speak of: they stay readable. */
  readonly payloads: readonly string[]
}

/**
 * Lets each node read its own payloads, before it is assigned them. What many nodes read has a Role that they share; for the rest, each
 * node has a Role.
 */
export class PayloadAccess {
  readonly #options: SharedAccessOptions
  readonly #shared: SharedAccess
  readonly #unneeded: UnneededAccess
  readonly #underWay = new Map<string, Promise<void>>()
  /** Nodes that have asked for a payload while it had no Role of its own. */
  readonly #asked = new Map<Readable, Set<string>>()
  readonly #announced = new Set<Readable>()

  constructor(options: SharedAccessOptions) {
    this.#options = options
    this.#shared = new SharedAccess(options)
    this.#unneeded = new UnneededAccess(this.#shared, options)
  }

  /** Whether the node may read all of them, as far as the watches tell. */
  isGranted(node: NodeIdentity, readable: readonly Readable[]): boolean {
    const own = this.#own(node)
    return readable.every((object) => own.includes(object) || this.#shared.has(node.name, object))
  }

  /** Those with a Role that nodes share, for which no other nodes were announced yet. */
  unannounced(readable: readonly Readable[]): readonly Readable[] {
    return readable.filter((object) => !this.#announced.has(object) && this.#shared.isOpen(object))
  }

  /** All of these are to become what this is part of: one write lets them read it, before each of them asks. */
  announce(nodes: readonly NodeIdentity[], object: Readable): void {
    this.#announced.add(object)
    const missing = nodes.filter((node) => !this.isGranted(node, [object])).map(({ name }) => name)
    // The assignment asks once more, and gets the error.
    this.#shared.grant(missing, object).catch(() => undefined)
  }

  /** Before it is assigned what has these; what it needs no more is taken away. @throws {KubeError} */
  async ensure(node: AccessedNode, readable: readonly Readable[]): Promise<void> {
    await this.#grant(node, { readable, kept: () => [] })
  }

  /** Takes nothing away: an assignment that its Node does not show yet may rely on it. @throws {KubeError} */
  async restore(node: AccessedNode, readable: readonly Readable[]): Promise<void> {
    await this.#grant(node, { readable, kept: () => this.#own(node) })
  }

  async #grant(
    node: AccessedNode,
    { readable, kept }: { readonly readable: readonly Readable[]; readonly kept: () => readonly Readable[] },
  ): Promise<void> {
    const allNow = (): readonly Readable[] => [...readable, ...kept()]
    for (const object of readable) this.#unneeded.needs(node.name, object)
    if (this.isGranted(node, readable) && !this.#hasOlder(node, allNow())) return
    const own = this.#own(node)
    const missing = readable.filter((object) => !own.includes(object))
    const shared = missing.filter((object) => this.#isShared(node, object))
    await Promise.all(shared.map((object) => this.#shared.grant([node.name], object)))
    if (!missing.every((object) => shared.includes(object)) || this.#hasOlder(node, allNow()))
      await this.#inTurn(node, () => this.#writeOwn(node, allNow()))
  }

  /** Takes away what nodes have not needed for some time. @throws {KubeError} */
  async revokeUnneeded(needs: Needs, now: Instant): Promise<void> {
    const isGone = (object: Readable) => this.#options.uidOf(object) === undefined
    for (const object of [...this.#asked.keys(), ...this.#announced].filter(isGone)) {
      this.#asked.delete(object)
      this.#announced.delete(object)
    }
    await this.#unneeded.revoke(needs, now)
    await this.#shared.adoptUnseen(now)
  }

  #isShared({ name }: NodeIdentity, object: Readable): boolean {
    if (this.#shared.isOpen(object)) return true
    const asked = this.#asked.get(object) ?? new Set()
    this.#asked.set(object, asked.add(name))
    return asked.size >= SHARED_FROM && this.#options.uidOf(object) !== undefined
  }

  /** What it reads by its own Role. */
  #own(node: NodeIdentity): readonly Readable[] {
    const { roles, bindings } = this.#options
    const [role, binding] = [roles.get(accessName(node.name)), bindings.get(accessName(node.name))]
    return isCurrent(role, node) && isOwn(binding, node) ? (role?.readable ?? []) : []
  }

  /** Its own Role lets it read what it neither has nor is to get, such as the payloads of the pool that it was in before. */
  #hasOlder(node: AccessedNode, readable: readonly Readable[]): boolean {
    return this.#own(node).some((object) => !readable.includes(object) && !node.payloads.includes(nameOf(object)))
  }

  /** One write of a node after another: what the second adds must not take away what the first added. */
  async #inTurn(node: NodeIdentity, work: () => Promise<void>): Promise<void> {
    const before = this.#underWay.get(node.name)
    const write = (before ?? Promise.resolve()).catch(() => undefined).then(work)
    this.#underWay.set(node.name, write)
    try {
      await write
    } finally {
      if (this.#underWay.get(node.name) === write) this.#underWay.delete(node.name)
    }
  }

  async #writeOwn(node: AccessedNode, readable: readonly Readable[]): Promise<void> {
    if (this.isGranted(node, readable) && !this.#hasOlder(node, readable)) return
    const { namespace, roles, bindings } = this.#options
    const kept = (roles.get(accessName(node.name))?.readable ?? []).filter((object) => node.payloads.includes(nameOf(object)))
    const needed = readable.filter((object) => !this.#shared.has(node.name, object))
    // The Role first: the server wants to see what a RoleBinding gives.
    const role = accessRole(namespace, node, [...kept, ...needed])
    roles.wrote(projectRole(await this.#apply('roles', node, role)))
    if (isOwn(bindings.get(accessName(node.name)), node)) return
    bindings.wrote(projectBinding(await this.#apply('rolebindings', node, accessBinding(namespace, node))))
  }

  #apply(collection: AccessCollection, node: NodeIdentity, object: object): Promise<KubeObject> {
    const { kube, namespace } = this.#options
    const query = { fieldManager: 'nodewave-controller', force: 'true' }
    return kube.patch<KubeObject>(accessPath(namespace, collection, node.name), object, { type: 'apply', query })
  }
}

function isCurrent(stored: StoredAccess | undefined, { uid }: NodeIdentity): boolean {
  return stored?.isAsMeant === true && stored.owner === uid
}

function isOwn(binding: StoredAccess | undefined, node: NodeIdentity): boolean {
  return (
    isCurrent(binding, node) &&
    binding?.role === accessName(node.name) &&
    binding.nodes.length === 1 &&
    binding.nodes[0] === node.name
  )
}

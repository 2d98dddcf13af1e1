import { isDeepStrictEqual } from 'node:util'
import type { KubeObject } from '../../kube/kube-api.ts'
import { accessName, MANAGER, OBJECT_KEYS, sharedAccessName } from '../../protocol/names.ts'

const GROUP = 'rbac.authorization.k8s.io'
const KIND = 'payload-access'

/** Label selector of the Roles and RoleBindings that the controller owns. */
export const PAYLOAD_ACCESS = `${OBJECT_KEYS.managedBy}=${MANAGER},${OBJECT_KEYS.kind}=${KIND}`

export type AccessCollection = 'roles' | 'rolebindings'

export function accessPath(namespace: string, collection: AccessCollection, node?: string): string {
  const path = `/apis/${GROUP}/v1/namespaces/${namespace}/${collection}`
  return node === undefined ? path : `${path}/${accessName(node)}`
}

/** Of a Role that many nodes share, or of one of its RoleBindings. */
export function sharedPath(namespace: string, collection: AccessCollection, name: string): string {
  return `${accessPath(namespace, collection)}/${name}`
}

/** What may be read, as `configmaps/workers-kubelet-0123456789`: the resource and the name. */
export type Readable = `${'configmaps' | 'secrets'}/${string}`

export interface NodeIdentity {
  readonly name: string
  readonly uid: string
}

/** A Role that lets read these objects, and nothing else. */
export function accessRole(namespace: string, node: NodeIdentity, readable: readonly Readable[]): object {
  return {
    ...accessObject('Role', { namespace, name: accessName(node.name), owner: ownerNode(node) }),
    rules: rulesFor(readable),
  }
}

/** Gives the Role of a node to its kubelet, whose credential the agent uses. */
export function accessBinding(namespace: string, node: NodeIdentity): object {
  const name = accessName(node.name)
  return {
    ...accessObject('RoleBinding', { namespace, name, owner: ownerNode(node) }),
    ...{ roleRef: roleRef(name), subjects: subjectsFor([node.name]) },
  }
}

/** A payload that many nodes read. */
export interface SharedPayload {
  readonly namespace: string
  readonly readable: Readable
  /** Of the ConfigMap or Secret. */
  readonly uid: string
}

/** A Role that lets read one payload. */
export function sharedRole(payload: SharedPayload): object {
  const { namespace, readable } = payload
  const named = { namespace, name: sharedAccessName(nameOf(readable)), owner: ownerPayload(payload) }
  return { ...accessObject('Role', named), rules: rulesFor([readable]) }
}

/** Gives the Role of a payload to the kubelets of these nodes. One payload has as many RoleBindings as its nodes need. */
export function sharedBinding(payload: SharedPayload, { name, nodes }: NodesOfBinding): object {
  const role = sharedAccessName(nameOf(payload.readable))
  const named = { namespace: payload.namespace, name, owner: ownerPayload(payload) }
  return { ...accessObject('RoleBinding', named), roleRef: roleRef(role), subjects: subjectsFor(nodes) }
}

/** A RoleBinding of a Role that nodes share, and whose kubelets it gives that to. */
export interface NodesOfBinding {
  readonly name: string
  readonly nodes: readonly string[]
}

export function nameOf(object: Readable): string {
  return object.slice(object.indexOf('/') + 1)
}

interface Named {
  readonly namespace: string
  readonly name: string
  /** Kubernetes deletes the object with it. */
  readonly owner: { readonly apiVersion: string; readonly kind: string; readonly name: string; readonly uid: string }
}

function accessObject(kind: string, { namespace, name, owner }: Named) {
  const labels = { [OBJECT_KEYS.managedBy]: MANAGER, [OBJECT_KEYS.kind]: KIND }
  return { apiVersion: `${GROUP}/v1`, kind, metadata: { name, namespace, labels, ownerReferences: [owner] } }
}

function ownerNode({ name, uid }: NodeIdentity): Named['owner'] {
  return { apiVersion: 'v1', kind: 'Node', name, uid }
}

function ownerPayload({ readable, uid }: SharedPayload): Named['owner'] {
  const kind = readable.startsWith('secrets/') ? 'Secret' : 'ConfigMap'
  return { apiVersion: 'v1', kind, name: nameOf(readable), uid }
}

function roleRef(name: string) {
  return { apiGroup: GROUP, kind: 'Role', name }
}

const KUBELET = 'system:node:'

function subjectsFor(nodes: readonly string[]) {
  return nodes.map((node) => ({ apiGroup: GROUP, kind: 'User', name: `${KUBELET}${node}` }))
}

interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
  readonly resourceNames: readonly string[]
}

function rulesFor(readable: readonly Readable[]): Rule[] {
  const byResource = Map.groupBy([...new Set(readable)].toSorted(), (object) => object.slice(0, object.indexOf('/')))
  return [...byResource].map(([resource, objects]) => ({
    apiGroups: [''],
    resources: [resource],
    verbs: ['get'],
    resourceNames: objects.map((object) => object.slice(resource.length + 1)),
  }))
}

/** What is kept of a Role or RoleBinding of ours. */
export interface StoredAccess {
  readonly name: string
  readonly namespace: string
  readonly resourceVersion: string
  /** uid of the Node or payload that owns it. */
  readonly owner: string
  /** Of a Role. */
  readonly readable: readonly Readable[]
  /** Of a RoleBinding: the Role that it gives. */
  readonly role: string
  /** Of a RoleBinding: whose kubelets it gives that to. */
  readonly nodes: readonly string[]
  /** It has nothing but what the controller writes. */
  readonly isAsMeant: boolean
}

export function projectRole(object: KubeObject): StoredAccess {
  const rules = (object.rules ?? []) as readonly Partial<Rule>[]
  const readable = rules.flatMap(({ resources = [], resourceNames = [] }) =>
    resources.flatMap((resource) => resourceNames.map((name) => `${resource}/${name}` as Readable)),
  )
  return { ...projected(object), ...{ readable, role: '', nodes: [] }, isAsMeant: isDeepStrictEqual(rules, rulesFor(readable)) }
}

export function projectBinding(object: KubeObject): StoredAccess {
  const subjects = (object.subjects ?? []) as readonly { readonly name: string }[]
  const given = object.roleRef as { readonly kind: string; readonly name: string }
  // A ClusterRole of that name is another one.
  const role = given.kind === 'Role' ? given.name : ''
  const nodes = subjects.filter(({ name }) => name.startsWith(KUBELET)).map(({ name }) => name.slice(KUBELET.length))
  const isAsMeant = isDeepStrictEqual(subjects, subjectsFor(nodes)) && isDeepStrictEqual(object.roleRef, roleRef(role))
  return { ...projected(object), readable: [], role, nodes, isAsMeant }
}

interface Owner {
  readonly name: string
  readonly uid: string
}

function ownerOf({ metadata }: KubeObject): Owner | undefined {
  return ((metadata.ownerReferences ?? []) as readonly Owner[])[0]
}

function projected(object: KubeObject) {
  const { name, namespace = '', resourceVersion = '' } = object.metadata
  return { name, namespace, resourceVersion, owner: ownerOf(object)?.uid ?? '' }
}

import { isDeepStrictEqual } from 'node:util'
import type { KubeObject } from '../../kube/kube-api.ts'
import { accessName, MANAGER, OBJECT_KEYS } from '../../protocol/names.ts'

const GROUP = 'rbac.authorization.k8s.io'
const KIND = 'payload-access'

/** Label selector of the Roles and RoleBindings that the controller owns. */
export const PAYLOAD_ACCESS = `${OBJECT_KEYS.managedBy}=${MANAGER},${OBJECT_KEYS.kind}=${KIND}`

export type AccessCollection = 'roles' | 'rolebindings'

export function accessPath(namespace: string, collection: AccessCollection, node?: string): string {
  const path = `/apis/${GROUP}/v1/namespaces/${namespace}/${collection}`
  return node === undefined ? path : `${path}/${accessName(node)}`
}

/** What may be read, as `configmaps/workers-kubelet-0123456789`: the resource and the name. */
export type Readable = `${'configmaps' | 'secrets'}/${string}`

export interface NodeIdentity {
  readonly name: string
  readonly uid: string
}

/** A Role that lets read these objects, and nothing else. */
export function accessRole(namespace: string, node: NodeIdentity, readable: readonly Readable[]): object {
  return { ...accessObject('Role', namespace, node), rules: rulesFor(readable) }
}

/** Gives the Role of a node to its kubelet, whose credential the agent uses. */
export function accessBinding(namespace: string, node: NodeIdentity): object {
  return {
    ...accessObject('RoleBinding', namespace, node),
    roleRef: { apiGroup: GROUP, kind: 'Role', name: accessName(node.name) },
    subjects: [{ apiGroup: GROUP, kind: 'User', name: `system:node:${node.name}` }],
  }
}

function accessObject(kind: string, namespace: string, { name, uid }: NodeIdentity) {
  return {
    apiVersion: `${GROUP}/v1`,
    kind,
    metadata: {
      name: accessName(name),
      namespace,
      labels: { [OBJECT_KEYS.managedBy]: MANAGER, [OBJECT_KEYS.kind]: KIND },
      // Kubernetes deletes it with the Node.
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }],
    },
  }
}

interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
  readonly resourceNames: readonly string[]
}

export function rulesFor(readable: readonly Readable[]): Rule[] {
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
  /** uid of the Node that owns it. */
  readonly owner: string
  /** Of a Role. */
  readonly readable: readonly Readable[]
  /** It has nothing but what the controller writes. */
  readonly isAsMeant: boolean
}

export function projectRole(object: KubeObject): StoredAccess {
  const rules = (object.rules ?? []) as readonly Partial<Rule>[]
  const readable = rules.flatMap(({ resources = [], resourceNames = [] }) =>
    resources.flatMap((resource) => resourceNames.map((name) => `${resource}/${name}` as Readable)),
  )
  return { ...projected(object), readable, isAsMeant: isDeepStrictEqual(rules, rulesFor(readable)) }
}

export function projectBinding(object: KubeObject): StoredAccess {
  const node = { name: ownerOf(object)?.name ?? '', uid: '' }
  const meant = accessBinding('', node) as { readonly roleRef: object; readonly subjects: object }
  return {
    ...projected(object),
    readable: [],
    isAsMeant: isDeepStrictEqual(object.subjects, meant.subjects) && isDeepStrictEqual(object.roleRef, meant.roleRef),
  }
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

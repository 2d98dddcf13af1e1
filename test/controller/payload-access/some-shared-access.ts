import { projectBinding, type Readable, type StoredAccess } from '../../../src/controller/cache/access-objects.ts'
import { bindingCache } from '../../../src/controller/cache/binding-cache.ts'
import { ObjectCache } from '../../../src/controller/cache/object-cache.ts'
import { PayloadAccess } from '../../../src/controller/payload-access/payload-access.ts'
import type { KubeObject } from '../../../src/kube/kube-api.ts'
import { FakeKube } from '../fake-kube.ts'

export const namespace = 'nodewave-system'

export const COMMON = 'configmaps/workers-kubelet-common'

export const NEXT = 'configmaps/workers-kubelet-next'

export const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`

export const ROLE = `${rbac}/roles/nodewave-payload-workers-kubelet-common`

export const bindingPath = (index: number) => `${rbac}/rolebindings/nodewave-payload-workers-kubelet-common-${index}`

export const MINUTES = 60_000

/** Payloads by uid; `COMMON` is there. */
export function some(uids = new Map<Readable, string>([[COMMON, 'p1']])) {
  const kube = new FakeKube()
  const caches = { roles: new ObjectCache<StoredAccess>(nothing), bindings: bindingCache(nothing) }
  const access = new PayloadAccess({ kube, namespace, ...caches, uidOf: (readable) => uids.get(readable) })
  const nodesIn = (index: number) => projectBinding(kube.objects.get(bindingPath(index)) as KubeObject).nodes
  return { kube, access, uids, nodesIn, ...caches }
}

export function node(name: string) {
  return { name, uid: `uid-of-${name}`, payloads: [] as readonly string[] }
}

export function nodes(count: number, from = 0) {
  return Array.from({ length: count }, (_, index) => node(`n${from + index}`))
}

/** So many that all others share the Role. */
export async function shared(options = some()) {
  for (const each of nodes(10)) await options.access.ensure(each, [COMMON])
  options.kube.requests.length = 0
  return options
}

export function fill(count: number, { access }: Pick<ReturnType<typeof some>, 'access'>, from = 10) {
  return Promise.all(nodes(count, from).map((each) => access.ensure(each, [COMMON])))
}

export function nothing(): void {}

import type { KubeApi } from '../../kube/kube-api.ts'
import { nameOf } from '../cache/access-objects.ts'
import type { ClusterCache } from '../cache/cluster-cache.ts'
import { PayloadAccess } from './payload-access.ts'

export interface ClusterAccessOptions {
  readonly kube: KubeApi
  readonly namespace: string
  readonly cluster: Pick<ClusterCache, 'roles' | 'bindings' | 'payloads' | 'secrets'>
}

/** Access to the payloads that the cluster has, as far as the watches tell. */
export function payloadAccess({ kube, namespace, cluster }: ClusterAccessOptions): PayloadAccess {
  const { roles, bindings, payloads, secrets } = cluster
  return new PayloadAccess({
    ...{ kube, namespace, roles, bindings },
    uidOf: (readable) => (readable.startsWith('secrets/') ? secrets : payloads).get(nameOf(readable))?.uid || undefined,
  })
}

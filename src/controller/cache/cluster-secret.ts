import type { KubeObject } from '../../kube/kube-api.ts'

/** A Secret that people wrote for hosts, with what is in it. */
export interface ClusterSecret {
  readonly name: string
  readonly namespace: string
  readonly resourceVersion: string
  /** Base64, by key. */
  readonly data: Readonly<Record<string, string>>
}

export function projectClusterSecret({ metadata, data }: KubeObject): ClusterSecret {
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    data: (data ?? {}) as Record<string, string>,
  }
}

import type { KubeApi, KubeObject } from '../../kube/kube-api.ts'
import type { ObjectCache } from '../cache/object-cache.ts'
import { configMapsPath, projectConfigMap, projectSecret, type StoredConfigMap } from '../cache/stored-config-map.ts'

/** Where the controller's ConfigMaps of one namespace are written, and what is known of them. */
export interface ConfigMapStore {
  readonly kube: KubeApi
  readonly namespace: string
  readonly configMaps: ObjectCache<StoredConfigMap>
  /** Secrets are kept in the same way. Default: ConfigMap. */
  readonly kind?: 'ConfigMap' | 'Secret'
}

export function storedPath({ namespace, kind }: Pick<ConfigMapStore, 'namespace' | 'kind'>, name?: string): string {
  if (kind !== 'Secret') return configMapsPath(namespace, name)
  return `/api/v1/namespaces/${namespace}/secrets${name === undefined ? '' : `/${name}`}`
}

export function projectStored({ kind }: Pick<ConfigMapStore, 'kind'>, object: KubeObject): StoredConfigMap {
  return kind === 'Secret' ? projectSecret(object) : projectConfigMap(object)
}

import type { KubeApi } from '../../kube/kube-api.ts'
import type { ObjectCache } from '../cache/object-cache.ts'
import type { StoredConfigMap, StoredKind } from '../cache/stored-config-map.ts'

/** Where the controller's ConfigMaps of one namespace are written, and what is known of them. */
export interface ConfigMapStore {
  readonly kube: KubeApi
  readonly namespace: string
  readonly configMaps: ObjectCache<StoredConfigMap>
  /** Secrets are kept in the same way. Default: ConfigMap. */
  readonly kind?: StoredKind
}

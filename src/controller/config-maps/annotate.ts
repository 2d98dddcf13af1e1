import { KubeError, type KubeObject } from '../../kube/kube-api.ts'
import { projectStored, type StoredConfigMap, storedPath } from '../cache/stored-config-map.ts'
import { afterConflict } from '../writes/after-conflict.ts'
import type { ConfigMapStore } from './config-map-store.ts'

/** @throws {Error} when it is refused; a KubeError that is a conflict when another version is known by then */
export async function annotate(
  store: ConfigMapStore,
  map: StoredConfigMap,
  annotations: Readonly<Record<string, string | null>>,
): Promise<void> {
  const { kube, configMaps: objects } = store
  const path = storedPath(store, map.name)
  const body = { metadata: { resourceVersion: map.resourceVersion, annotations } }
  try {
    objects.wrote(projectStored(store, await kube.patch<KubeObject>(path, body)))
  } catch (error) {
    if (!(error instanceof KubeError && error.reaction === 'conflict')) throw error
    throw await afterConflict(map, { objects, read: async () => projectStored(store, await kube.get<KubeObject>(path)) }, error)
  }
}

import { KubeError, type KubeObject } from '../../kube/kube-api.ts'
import { projectStored, type StoredConfigMap, storedPath } from '../cache/stored-config-map.ts'
import { unfounded } from '../writes/unfounded.ts'
import type { ConfigMapStore } from './config-map-store.ts'

/** @throws {Error} when it is refused; a KubeError that is a conflict when another version is known by then */
export async function annotate(
  store: ConfigMapStore,
  map: StoredConfigMap,
  annotations: Readonly<Record<string, string | null>>,
): Promise<void> {
  const { name, resourceVersion } = map
  const body = { metadata: { resourceVersion, annotations } }
  try {
    store.configMaps.wrote(projectStored(store, await store.kube.patch<KubeObject>(storedPath(store, name), body)))
  } catch (error) {
    throw error instanceof KubeError && error.reaction === 'conflict' ? await afterConflict(store, map, error) : error
  }
}

/** The watch may be behind, perhaps for long: what is known would be written upon again and again. */
async function afterConflict(
  store: ConfigMapStore,
  { name, resourceVersion }: StoredConfigMap,
  conflict: KubeError,
): Promise<Error> {
  const { kube, configMaps } = store
  await configMaps.catchUp(async () => [projectStored(store, await kube.get<KubeObject>(storedPath(store, name)))])
  return configMaps.get(name)?.resourceVersion === resourceVersion ? unfounded(conflict) : conflict
}

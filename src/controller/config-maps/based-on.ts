import { KubeError } from '../../kube/kube-api.ts'
import { MANAGER, OBJECT_KEYS } from '../../protocol/names.ts'
import { refreshNamed } from '../cache/refresh-named.ts'
import { projectStored, type StoredConfigMap, storedPath } from '../cache/stored-config-map.ts'
import { afterConflict, gone } from '../writes/after-conflict.ts'
import type { ConfigMapStore } from './config-map-store.ts'

/**
 * A write that is based on the version of `map`.
 * @throws {Error} when it is refused; a KubeError that is a conflict when another version is known by then, or that it is gone
 */
export async function basedOn<T>(store: ConfigMapStore, map: StoredConfigMap, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    const conflict = conflictOf(error, map)
    if (conflict === undefined) throw error
    throw await afterConflict(map, { objects: store.configMaps, refresh: () => refresh(store, map) }, conflict)
  }
}

/** What is gone is to be decided again, too: the next write creates it, or leaves it. */
function conflictOf(error: unknown, { name }: StoredConfigMap): KubeError | undefined {
  if (!(error instanceof KubeError)) return undefined
  if (error.code === 404) return gone(`"${name}"`, error)
  return error.reaction === 'conflict' ? error : undefined
}

/** As its watch would tell: what has lost its labels is no longer ours. */
function refresh(store: ConfigMapStore, { name, kind }: StoredConfigMap): Promise<void> {
  const list = () =>
    store.kube.list(storedPath(store), {
      project: (object) => projectStored(store, object),
      labelSelector: `${OBJECT_KEYS.managedBy}=${MANAGER},${OBJECT_KEYS.kind}=${kind}`,
      fieldSelector: `metadata.name=${name}`,
    })
  return refreshNamed(store.configMaps, [name], list)
}

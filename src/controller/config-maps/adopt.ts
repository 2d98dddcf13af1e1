import { KubeError, type KubeObject } from '../../kube/kube-api.ts'
import { projectStored, storedPath } from '../cache/stored-config-map.ts'
import { unfounded } from '../writes/after-conflict.ts'
import type { ConfigMapStore } from './config-map-store.ts'

export type Labels = Readonly<Record<string, string>>

/** Somebody may have removed its labels, and the watch shows nothing without them. */
export async function withLabels(store: ConfigMapStore, found: KubeObject, labels: Labels): Promise<KubeObject> {
  const { name, resourceVersion, labels: present = {} } = found.metadata
  if (Object.entries(labels).every(([key, value]) => present[key] === value)) return found
  return store.kube.patch<KubeObject>(storedPath(store, name), { metadata: { resourceVersion, labels } })
}

export interface Wanted {
  readonly name: string
  readonly revision: string
  readonly labels: Labels
}

/**
 * Of a ConfigMap that cannot be created. One of the same revision that is there already, as without its labels, is ours: it gets them again.
 * @returns what to throw: the conflict when it is known by then, which is decided upon
 * @throws {KubeError} when it cannot be read, or be given its labels
 */
export async function afterCreation(store: ConfigMapStore, wanted: Wanted, error: unknown): Promise<unknown> {
  if (!(error instanceof KubeError && error.reaction === 'conflict')) return error
  if (error.reason !== 'AlreadyExists') return unfounded(error)
  const found = await store.kube.get<KubeObject>(storedPath(store, wanted.name))
  if (projectStored(store, found).revision !== wanted.revision)
    return new Error(`ConfigMap "${wanted.name}" is there, and is not of commit "${wanted.revision}"; delete it`, {
      cause: error,
    })
  store.configMaps.wrote(projectStored(store, await withLabels(store, found, wanted.labels)))
  return store.configMaps.get(wanted.name) ? error : unfounded(error)
}

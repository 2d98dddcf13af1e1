import type { KubeObject } from '../../kube/kube-api.ts'
import { projectStored, type StoredConfigMap, storedPath } from '../cache/stored-config-map.ts'
import { basedOn } from './based-on.ts'
import type { ConfigMapStore } from './config-map-store.ts'

type Annotations = Readonly<Record<string, string | null>>

/** @throws {Error} when it is refused, or not kept; a KubeError that is a conflict when another version is known by then, or that it is gone */
export async function annotate(store: ConfigMapStore, map: StoredConfigMap, annotations: Annotations): Promise<void> {
  const { kube, configMaps } = store
  const { name, resourceVersion } = map
  const body = { metadata: { resourceVersion, annotations } }
  const patch = () => kube.patch<KubeObject>(storedPath(store, name), body)
  const written = projectStored(store, await basedOn(store, map, patch))
  configMaps.wrote(written)
  refuseLoss(annotations, written)
}

/** A webhook may change what is written. What is not there then would be written again and again. */
function refuseLoss(annotations: Annotations, { name, annotations: kept }: StoredConfigMap): void {
  const lost = Object.entries(annotations).filter(([key, value]) => (kept[key] ?? null) !== value)
  if (lost.length === 0) return
  const keys = lost.map(([key]) => key).join(', ')
  throw new Error(`the API server does not keep ${keys} of "${name}" as written; correct the webhook that changes it`)
}

import { KubeError, unlessMissing } from '../../kube/kube-api.ts'
import { OBJECT_KEYS } from '../../protocol/names.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import type { StoredConfigMap } from '../cache/stored-config-map.ts'
import { storedPath } from '../cache/stored-config-map.ts'
import { forEach, forEnough, throwFirst } from '../writes/for-each.ts'
import { annotate } from './annotate.ts'
import { basedOn } from './based-on.ts'
import type { ConfigMapStore } from './config-map-store.ts'

/** Between mark and deletion, in milliseconds: an agent may be about to read what its node has just ceased to name. */
const GRACE = 10 * 60_000

const SWEPT_AT_ONCE = 100
const IN_FLIGHT = 16

export interface Sweeping {
  readonly isNeeded: (map: StoredConfigMap) => boolean
  readonly now: Instant
}

/**
 * Deletes the ConfigMaps that nobody needs, in two steps: one sweep marks them, a later one deletes them at the version it marked. Who
 * comes to need one meanwhile has to reclaim it, which makes another version: so a deletion that was decided on before, perhaps by a
 * process that leads no more and wakes up late, is refused.
 * @returns whether that was all: a fleet whose nodes have configurations of their own leaves thousands behind, and must not wait for them
 */
export async function sweep(store: ConfigMapStore, { isNeeded, now }: Sweeping): Promise<{ readonly isDone: boolean }> {
  const [needed, unneeded] = partition([...store.configMaps.items.values()], isNeeded)
  const failed = await forEach(needed, {}, (map) => reclaim(store, map))
  const due = unneeded.filter(({ unneededSince }) => unneededSince === undefined || now - unneededSince >= GRACE)
  const swept = await forEnough(due, { atOnce: IN_FLIGHT, enough: SWEPT_AT_ONCE }, (map) =>
    unlessChanged(() =>
      map.unneededSince === undefined ? mark(store, map, new Date(now).toISOString()) : deleteVersion(store, map),
    ),
  )
  throwFirst([...failed.values()])
  return swept
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): readonly [T[], T[]] {
  const { first = [], second = [] } = Object.groupBy(items, (item) => (isFirst(item) ? 'first' : 'second'))
  return [first, second]
}

/** To be called before anybody relies on a ConfigMap that was there already. */
export async function reclaim(store: ConfigMapStore, map: StoredConfigMap): Promise<void> {
  if (map.unneededSince !== undefined) await mark(store, map, null)
}

/** What was changed meanwhile is not deleted: that is an error. What is gone already is gone. */
export async function deleteVersion(store: ConfigMapStore, map: StoredConfigMap): Promise<void> {
  const { kube, configMaps } = store
  const preconditions = { uid: map.uid, resourceVersion: map.resourceVersion }
  await basedOn(store, map, () => kube.delete(storedPath(store, map.name), { body: { preconditions } }).catch(unlessMissing))
  configMaps.deleted(map)
}

function mark(store: ConfigMapStore, map: StoredConfigMap, stamp: string | null): Promise<void> {
  return annotate(store, map, { [OBJECT_KEYS.unneededSince]: stamp })
}

/** Of whatever was changed, or is gone, another version or none is known by now: the next sweep goes by that. A list that has expired (410) brings nothing. */
async function unlessChanged(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof KubeError && error.code === 409)) throw error
  }
}

import { KubeError } from '../kube/kube-api.ts'
import type { Instant } from '../rollout/snapshot.ts'
import type { PayloadStore } from './payloads.ts'
import { configMapsPath, type StoredConfigMap } from './stored-config-map.ts'

/** Younger payloads stay, in milliseconds: an agent may be about to read one that its node has just ceased to name. */
const GRACE = 10 * 60_000

export interface StillNeeded {
  /** Names of payloads in annotations of nodes, and those that revisions in use render to. */
  readonly named: ReadonlySet<string>
  /** Payloads first needed by one of these stay. What an older one of them shares with a forgotten commit is made anew when needed. */
  readonly keptCommits: ReadonlySet<string>
  readonly now: Instant
}

/** Deletes the payloads that nobody needs. */
export async function collectPayloads({ kube, namespace, configMaps }: PayloadStore, needed: StillNeeded): Promise<void> {
  for (const map of configMaps.items.values()) {
    if (!isGarbage(map, needed)) continue
    try {
      await kube.delete(configMapsPath(namespace, map.name), { body: { preconditions: { uid: map.uid } } })
    } catch (error) {
      if (!(error instanceof KubeError && error.code === 404)) throw error
    }
    configMaps.deleted(map.name)
  }
}

function isGarbage(map: StoredConfigMap, { named, keptCommits, now }: StillNeeded): boolean {
  if (map.kind !== 'kubelet' && map.kind !== 'host') return false
  return !named.has(map.name) && !keptCommits.has(map.revision) && now - map.createdAt >= GRACE
}

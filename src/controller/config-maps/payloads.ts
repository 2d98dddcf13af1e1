import type { KubeObject } from '../../kube/kube-api.ts'
import { KubeError } from '../../kube/kube-api.ts'
import { MANAGER, OBJECT_KEYS } from '../../protocol/names.ts'
import type { Payload } from '../../render/payload.ts'
import type { ConfigMapStore } from './config-map-store.ts'
import type { StoredConfigMap } from './stored-config-map.ts'
import { configMapsPath, projectConfigMap } from './stored-config-map.ts'
import { deleteVersion, reclaim } from './sweep.ts'

/**
 * Makes sure that each payload stands in the cluster as it was meant, before the first node is told of it. Asks nothing
 * of the server for those that are known to.
 * @param payloads by name
 */
export async function ensurePayloads(
  store: ConfigMapStore,
  { payloads, revision }: { readonly payloads: ReadonlyMap<string, Payload>; readonly revision: string },
): Promise<void> {
  for (const payload of payloads.values()) {
    const known = store.configMaps.get(payload.name)
    if (known && isAsMeant(known, payload)) await reclaim(store, known)
    else {
      // Somebody changed it, or it is not protected from change: it has our label, so it is ours to put right.
      if (known) await deleteVersion(store, known)
      await create(store, payload, revision)
    }
  }
}

async function create(store: ConfigMapStore, payload: Payload, revision: string): Promise<void> {
  const { kube, namespace, configMaps } = store
  const body = payloadObject(payload, { namespace, revision })
  try {
    configMaps.wrote(projectConfigMap(await kube.create<KubeObject>(configMapsPath(namespace), body)))
  } catch (error) {
    if (!(error instanceof KubeError && error.reason === 'AlreadyExists')) throw error
    const found = projectConfigMap(await kube.get<KubeObject>(configMapsPath(namespace, payload.name)))
    if (!isAsMeant(found, payload)) throw new PayloadConflict(payload.name, { cause: error })
    configMaps.wrote(found)
    await reclaim(store, found)
  }
}

function isAsMeant(found: StoredConfigMap, payload: Payload): boolean {
  return found.immutable && found.dataDigest === payload.digest
}

function payloadObject(
  payload: Payload,
  { namespace, revision }: { readonly namespace: string; readonly revision: string },
): object {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: payload.name,
      namespace,
      labels: { [OBJECT_KEYS.managedBy]: MANAGER, [OBJECT_KEYS.pool]: payload.pool, [OBJECT_KEYS.kind]: payload.kind },
      annotations: { [OBJECT_KEYS.revision]: revision },
    },
    immutable: true,
    data: payload.data,
  }
}

/** A ConfigMap that is not ours has the name of a payload. Nodes are not told of it; a person has to remove it. */
export class PayloadConflict extends Error {
  override readonly name = 'PayloadConflict'

  constructor(name: string, options: ErrorOptions) {
    super(`create ConfigMap "${name}": one with this name and other content exists; delete it`, options)
  }
}

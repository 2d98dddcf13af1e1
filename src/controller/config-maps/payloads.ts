import type { KubeObject } from '../../kube/kube-api.ts'
import { KubeError } from '../../kube/kube-api.ts'
import { MANAGER, OBJECT_KEYS } from '../../protocol/names.ts'
import type { Payload } from '../../render/payload.ts'
import type { StoredConfigMap } from '../cache/stored-config-map.ts'
import { projectStored, storedPath } from '../cache/stored-config-map.ts'
import { type Labels, withLabels } from './adopt.ts'
import type { ConfigMapStore } from './config-map-store.ts'
import { deleteVersion, reclaim } from './sweep.ts'

/** Of a pool, or of a revision as a whole. */
export type StoredPayload = Pick<Payload, 'name' | 'data' | 'digest'> & { readonly kind: string; readonly pool?: string }

/**
 * Makes sure that each payload stands in the cluster as it was meant, before the first node is assigned it. Asks nothing
 * of the server for those that are known to.
 * @param payloads by name
 */
export async function ensurePayloads(
  store: ConfigMapStore,
  { payloads, revision }: { readonly payloads: ReadonlyMap<string, StoredPayload>; readonly revision: string },
): Promise<void> {
  for (const payload of payloads.values()) {
    const known = store.configMaps.get(payload.name)
    if (known && isAsMeant(known, payload)) await reclaim(store, known)
    else {
      // Somebody changed it, or it is not protected from change: it has our label, so it is ours to repair.
      if (known) await deleteVersion(store, known)
      await create(store, payload, revision)
    }
  }
}

async function create(store: ConfigMapStore, payload: StoredPayload, revision: string): Promise<void> {
  const { kube, configMaps } = store
  const body = payloadObject(store, payload, revision)
  try {
    configMaps.wrote(projectStored(store, await kube.create<KubeObject>(storedPath(store), body)))
  } catch (error) {
    if (!(error instanceof KubeError && error.reason === 'AlreadyExists')) throw error
    const found = await kube.get<KubeObject>(storedPath(store, payload.name))
    if (!isAsMeant(projectStored(store, found), payload)) throw new PayloadConflict(store, payload.name, { cause: error })
    const stored = projectStored(store, await withLabels(store, found, labelsOf(payload)))
    configMaps.wrote(stored)
    await reclaim(store, stored)
  }
}

export function isAsMeant(found: StoredConfigMap, payload: StoredPayload): boolean {
  return found.immutable && found.dataDigest === payload.digest
}

function labelsOf({ kind, pool }: StoredPayload): Labels {
  return { [OBJECT_KEYS.managedBy]: MANAGER, [OBJECT_KEYS.kind]: kind, ...(pool !== undefined && { [OBJECT_KEYS.pool]: pool }) }
}

function payloadObject({ namespace, kind = 'ConfigMap' }: ConfigMapStore, payload: StoredPayload, revision: string): object {
  const encoded = Object.entries(payload.data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])
  return {
    apiVersion: 'v1',
    kind,
    metadata: {
      name: payload.name,
      namespace,
      labels: labelsOf(payload),
      annotations: { [OBJECT_KEYS.revision]: revision },
    },
    immutable: true,
    data: kind === 'Secret' ? Object.fromEntries(encoded) : payload.data,
  }
}

/** An object that is not ours has the name of a payload. Nodes get no reference to it; a person has to remove it. */
export class PayloadConflict extends Error {
  override readonly name = 'PayloadConflict'

  constructor({ kind = 'ConfigMap' }: Pick<ConfigMapStore, 'kind'>, name: string, options: ErrorOptions) {
    super(`create ${kind} "${name}": one with this name and other content exists; delete it`, options)
  }
}

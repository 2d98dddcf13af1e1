import type { KubeObject } from '../../kube/kube-api.ts'
import { digestOf } from '../../protocol/digest.ts'
import { FLEET_CONFIG_MAP, MANAGER, OBJECT_KEYS } from '../../protocol/names.ts'

/** Secrets are kept in the same way. */
export type StoredKind = 'ConfigMap' | 'Secret'

/** A ConfigMap of ours, without what is in it. */
export interface StoredConfigMap {
  readonly name: string
  readonly namespace: string
  readonly resourceVersion: string
  readonly uid: string
  /** `kubelet` and `host` are payloads; `revision` is a part of the documents of an accepted commit. */
  readonly kind: string
  /** Commit that first needed it, or that it is of. */
  readonly revision: string
  readonly annotations: Readonly<Record<string, string>>
  /** Marked for deletion, in milliseconds since the epoch; a mark that cannot be read counts as one of long ago. */
  readonly unneededSince?: number
  readonly immutable: boolean
  /** Over `data`; tells whether what stands there is what was meant. */
  readonly dataDigest: string
}

/** Label selectors of the sorts of ConfigMaps that the controller owns: one that is put where it does not belong counts for nothing. */
export const PAYLOADS = `${OBJECT_KEYS.managedBy}=${MANAGER},${OBJECT_KEYS.kind} in (kubelet,host)`
export const SECRET_PAYLOADS = `${OBJECT_KEYS.managedBy}=${MANAGER},${OBJECT_KEYS.kind}=secret`
export const REVISIONS = `${OBJECT_KEYS.managedBy}=${MANAGER},${OBJECT_KEYS.kind}=revision`

/** Field selector of what people set for the whole fleet. They may make it themselves, or a tool may take its labels off: it counts all the same. */
export const FLEET = `metadata.name=${FLEET_CONFIG_MAP}`

export function configMapsPath(namespace: string, name?: string): string {
  return `/api/v1/namespaces/${namespace}/configmaps${name === undefined ? '' : `/${name}`}`
}

export function storedPath(
  { namespace, kind }: { readonly namespace: string; readonly kind?: StoredKind },
  name?: string,
): string {
  if (kind !== 'Secret') return configMapsPath(namespace, name)
  return `/api/v1/namespaces/${namespace}/secrets${name === undefined ? '' : `/${name}`}`
}

/** Only their digest stays in memory. */
export function projectSecret(object: KubeObject): StoredConfigMap {
  const data = Object.entries((object.data ?? {}) as Record<string, string>)
  const decoded = data.map(([key, value]) => [key, Buffer.from(value, 'base64').toString()])
  return projectConfigMap({ ...object, data: Object.fromEntries(decoded) })
}

export function projectConfigMap(object: KubeObject): StoredConfigMap {
  const { metadata } = object
  const marked = metadata.annotations?.[OBJECT_KEYS.unneededSince]
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    uid: metadata.uid ?? '',
    kind: metadata.labels?.[OBJECT_KEYS.kind] ?? '',
    revision: metadata.annotations?.[OBJECT_KEYS.revision] ?? '',
    annotations: metadata.annotations ?? {},
    ...(marked !== undefined && { unneededSince: Date.parse(marked) || 0 }),
    immutable: object.immutable === true,
    dataDigest: digestOf((object.data ?? {}) as Record<string, string>),
  }
}

export function projectStored({ kind }: { readonly kind?: StoredKind }, object: KubeObject): StoredConfigMap {
  return kind === 'Secret' ? projectSecret(object) : projectConfigMap(object)
}

import type { Json, JsonObject } from './json.ts'

/** What every kind has in common. */
export interface ApiObject extends JsonObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: StoredMeta
}

export interface StoredMeta extends JsonObject {
  readonly name?: string
  readonly generateName?: string
  readonly namespace?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly generation?: number
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly labels?: StringMap
  readonly annotations?: StringMap
  readonly finalizers?: readonly string[]
  readonly ownerReferences?: readonly JsonObject[]
  readonly managedFields?: readonly Json[]
}

export type StringMap = { readonly [key: string]: string }

/** `namespace/name`, or `name` alone for what has no namespace: also the order in which lists come. */
export function keyOf(namespace: string | undefined, name: string): string {
  return namespace ? `${namespace}/${name}` : name
}

export function objectKey(object: ApiObject): string {
  return keyOf(object.metadata.namespace, object.metadata.name ?? '')
}

export function withMeta(
  object: ApiObject,
  changes: { readonly [Key in keyof StoredMeta]?: StoredMeta[Key] | undefined },
): ApiObject {
  const metadata: Record<string, Json | undefined> = { ...object.metadata, ...changes }
  for (const key of Object.keys(changes)) if (metadata[key] === undefined) delete metadata[key]
  return { ...object, metadata }
}

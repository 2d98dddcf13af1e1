import type { ApiObject } from '../api-object.ts'
import { withMeta } from '../api-object.ts'
import type { Core } from '../core.ts'
import { sameJson, without } from '../json.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { badRequest, conflict, invalid, MODIFIED_SINCE } from '../status-error.ts'
import { Entry } from '../storage/entry.ts'
import { checkObject } from './check-object.ts'

export interface Update {
  readonly type: ResourceType
  readonly subresource: string
  readonly dryRun: boolean
}

/**
 * Puts `next` in the place of `old`, as far as clients may: identity stays, and the main resource does not change the status nor
 * the status subresource the rest. Equal content is not written, and no watch hears of it.
 * @throws {StatusError} 400, 409, 422
 */
export function updateObject(
  core: Core,
  { old, next }: { old: Entry; next: ApiObject },
  { type, subresource, dryRun }: Update,
): Entry {
  checkIdentity(next, old.object, type)
  const merged = withIdentity(applyRules(next, old.object, { type, subresource }), old.object)
  checkObject(merged, old.object, type)
  if (sameJson(merged, old.object)) return old
  const counted = countGeneration(merged, old.object, type)
  if (dryRun) return new Entry(counted, old.revision)
  if (isFinished(counted)) {
    core.store.remove(type.collection, old.key)
    return new Entry(counted, old.revision)
  }
  return core.store.put(type.collection, counted)
}

function checkIdentity(next: ApiObject, old: ApiObject, type: ResourceType): void {
  const name = old.metadata.name ?? ''
  const { uid, resourceVersion, namespace } = next.metadata
  if (next.metadata.name !== name)
    throw badRequest(`the name of the object (${next.metadata.name}) does not match the name on the URL (${name})`)
  if (namespace !== undefined && namespace !== old.metadata.namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  if (uid !== undefined && uid !== old.metadata.uid) {
    const message = `Invalid value: ${JSON.stringify(uid)}: field is immutable`
    throw invalid(type, name, [{ reason: 'FieldValueInvalid', message, field: 'metadata.uid' }])
  }
  if (resourceVersion !== undefined && resourceVersion !== old.metadata.resourceVersion)
    throw conflict(type, name, MODIFIED_SINCE)
}

function applyRules(next: ApiObject, old: ApiObject, { type, subresource }: Omit<Update, 'dryRun'>): ApiObject {
  const { rules } = type
  if (subresource === 'status') return rules.onStatusUpdate?.(next, old) ?? next
  return rules.onUpdate?.(next, old) ?? next
}

const SERVER_OWNED = [
  'uid',
  'creationTimestamp',
  'namespace',
  'generation',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'resourceVersion',
] as const

function withIdentity(next: ApiObject, old: ApiObject): ApiObject {
  if (SERVER_OWNED.every((key) => next.metadata[key] === old.metadata[key])) return next
  return withMeta(next, Object.fromEntries(SERVER_OWNED.map((key) => [key, old.metadata[key]])))
}

/** The generation grows when what people wish for changes: everything but metadata and status. */
function countGeneration(next: ApiObject, old: ApiObject, type: ResourceType): ApiObject {
  if (!type.rules.countsGenerations || sameJson(wishes(next, type), wishes(old, type))) return next
  return withMeta(next, { generation: (old.metadata.generation ?? 0) + 1 })
}

function wishes(object: ApiObject, type: ResourceType): ReturnType<typeof without> {
  return type.hasStatus ? without(object, 'metadata', 'status') : without(object, 'metadata')
}

/** Deleted before, and the last finalizer is gone now. */
function isFinished({ metadata }: ApiObject): boolean {
  return (
    metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0 && !metadata.deletionGracePeriodSeconds
  )
}

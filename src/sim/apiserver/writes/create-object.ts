import { randomInt, randomUUID } from 'node:crypto'
import type { ApiObject } from '../api-object.ts'
import { objectKey, withMeta } from '../api-object.ts'
import type { Core } from '../core.ts'
import { stamp } from '../core.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { groupVersion } from '../resources/resource-type.ts'
import { alreadyExists, badRequest, forbidden, invalid, notFound } from '../status-error.ts'
import { Entry } from '../storage/entry.ts'
import { checkObject } from './check-object.ts'

const SUFFIX_LETTERS = 'bcdfghjklmnpqrstvwxz2456789'

export interface Creation {
  readonly type: ResourceType
  readonly namespace: string
  readonly dryRun: boolean
}

/** Stores a new object, with all that the server adds to it. @throws {StatusError} 400, 403, 404, 409, 422 */
export function createObject(core: Core, object: ApiObject, { type, namespace, dryRun }: Creation): Entry {
  checkNamespace(core, object, { type, namespace })
  const named = withName(object, type)
  if (type.rules.answer) return new Entry(type.rules.answer(named), 0)
  const prepared = type.rules.onCreate?.(named) ?? named
  const created = withMeta(prepared, {
    ...(type.namespaced ? { namespace } : { namespace: undefined }),
    uid: randomUUID(),
    creationTimestamp: stamp(core.now()),
    generation: type.rules.countsGenerations ? 1 : undefined,
    resourceVersion: undefined,
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    selfLink: undefined,
  })
  checkObject(created, undefined, type)
  if (core.store.collection(type.collection).get(objectKey(created))) throw alreadyExists(type, created.metadata.name ?? '')
  const kept = type.conversion?.keep(created) ?? created
  return dryRun ? new Entry(kept, 0) : core.store.put(type.collection, kept)
}

function checkNamespace(core: Core, object: ApiObject, { type, namespace }: Omit<Creation, 'dryRun'>): void {
  if (!type.namespaced) return
  if (namespace === '') throw badRequest('an empty namespace may not be set during creation')
  const own = object.metadata.namespace
  if (own !== undefined && own !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  const found = core.store.get('namespaces', namespace)
  if (!found) throw notFound({ group: '', plural: 'namespaces', kind: 'Namespace' }, namespace)
  if (!found.metadata.deletionTimestamp) return
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`
  const causes = [
    { reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' },
  ]
  throw forbidden(type, object.metadata.name ?? '', { why, causes })
}

function withName(object: ApiObject, type: ResourceType): ApiObject {
  const { name, generateName } = object.metadata
  if (name || type.rules.answer) return object
  if (generateName) return withMeta(object, { name: `${generateName.slice(0, 58)}${randomSuffix()}` })
  const causes = [
    { reason: 'FieldValueRequired', message: 'Required value: name or generateName is required', field: 'metadata.name' },
  ]
  throw invalid(type, '', causes)
}

function randomSuffix(): string {
  return Array.from({ length: 5 }, () => SUFFIX_LETTERS[randomInt(SUFFIX_LETTERS.length)]).join('')
}

/** Stores an object that is none of a client's: what the server itself starts with. */
export function seed(core: Core, type: ResourceType, object: Omit<ApiObject, 'kind' | 'apiVersion'>): Entry {
  const full = { kind: type.kind, apiVersion: groupVersion(type), ...object } as ApiObject
  return createObject(core, full, { type, namespace: full.metadata.namespace ?? '', dryRun: false })
}

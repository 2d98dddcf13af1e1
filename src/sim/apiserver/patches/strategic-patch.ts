import type { Json, JsonObject } from '../json.ts'
import { isArray, isObject, sameJson, without } from '../json.ts'
import { resolved } from '../schema/core-schemas.ts'
import type { Schema } from '../schema/schema.ts'

/** The patch contradicts what it patches: an item without its merge key, a list where an object stands. */
export class StrategicPatchError extends Error {
  override readonly name = 'StrategicPatchError'
}

const SET_ORDER = '$setElementOrder/'
const DELETE_FROM = '$deleteFromPrimitiveList/'

/**
 * Kubernetes' strategic merge patch: lists are merged by the key that the kind's schema names, or replaced when it names none.
 * Directives: `$patch: replace|delete|merge`, `$retainKeys`, `$setElementOrder/x`, `$deleteFromPrimitiveList/x`.
 * @throws {StrategicPatchError}
 */
export function strategicPatch(target: JsonObject, patch: JsonObject, schema: Schema): JsonObject {
  const { $patch, $retainKeys, ...members } = patch
  if ($patch === 'replace') return withoutDirectives(members) as JsonObject
  if ($patch === 'delete') return {}
  const result: Record<string, Json | undefined> = { ...retained(target, $retainKeys) }
  for (const [key, value] of Object.entries(members)) {
    if (value === undefined || key.startsWith(SET_ORDER)) continue
    if (key.startsWith(DELETE_FROM)) removeFrom(result, key.slice(DELETE_FROM.length), value)
    else if (value === null) delete result[key]
    else result[key] = mergeMember(result[key], value, propertyOf(schema, key))
  }
  for (const [key, order] of Object.entries(members))
    if (key.startsWith(SET_ORDER)) reorder(result, key.slice(SET_ORDER.length), { order, schema })
  return result
}

function retained(target: JsonObject, keys: Json | undefined): JsonObject {
  if (!isArray(keys)) return target
  return Object.fromEntries(Object.entries(target).filter(([key]) => keys.includes(key)))
}

function propertyOf(schema: Schema, key: string): Schema {
  const { properties, additionalProperties } = resolved(schema)
  const property = properties && Object.hasOwn(properties, key) ? properties[key] : undefined
  return property ?? (typeof additionalProperties === 'object' ? additionalProperties : {})
}

function mergeMember(old: Json | undefined, value: Json, schema: Schema): Json {
  const strategy = schema['x-kubernetes-patch-strategy'] ?? ''
  if (isObject(value)) {
    if (strategy.includes('replace')) return withoutDirectives(value)
    return strategicPatch(isObject(old) ? old : {}, value, schema)
  }
  if (!isArray(value)) return value
  if (!strategy.includes('merge')) return withoutDirectives(value)
  // Where no list is, the patch's becomes the list, whether its items have the key or not.
  if (!isArray(old)) return value.filter((item) => !isObject(item) || item.$patch !== 'delete').map(withoutDirectives)
  const key = schema['x-kubernetes-patch-merge-key']
  return key === undefined ? mergePrimitives(old, value) : mergeByKey(old, value, { key, items: schema.items ?? {} })
}

function mergePrimitives(old: readonly Json[], added: readonly Json[]): readonly Json[] {
  return [...old, ...added.filter((item) => !old.includes(item))]
}

function mergeByKey(
  old: readonly Json[],
  patches: readonly Json[],
  { key, items }: { key: string; items: Schema },
): readonly Json[] {
  if (patches.some((patch) => isObject(patch) && patch.$patch === 'replace' && !(key in patch)))
    return patches.filter((patch) => isObject(patch) && patch.$patch !== 'replace').map(withoutDirectives)
  return patches.reduce<readonly Json[]>((list, patch) => {
    const id = isObject(patch) ? patch[key] : undefined
    if (!isObject(patch) || id === undefined)
      throw new StrategicPatchError(`map: ${goMap(patch)} does not contain declared merge key: ${key}`)
    const index = list.findIndex((item) => isObject(item) && sameJson(item[key], id))
    if (patch.$patch === 'delete') return index < 0 ? list : list.toSpliced(index, 1)
    const merged = strategicPatch(index < 0 ? {} : (list[index] as JsonObject), patch, items)
    return list.toSpliced(index < 0 ? list.length : index, 1, merged)
  }, old)
}

/** `map[status:x]`, as Go prints maps. */
function goMap(value: Json): string {
  if (!isObject(value)) return String(value)
  const members = Object.entries(value).map(([key, member]) => `${key}:${goMap(member ?? null)}`)
  return `map[${members.sort().join(' ')}]`
}

function removeFrom(result: Record<string, Json | undefined>, key: string, gone: Json): void {
  const list = result[key]
  if (isArray(list) && isArray(gone)) result[key] = list.filter((item) => !gone.includes(item))
}

/** Items in the order the patch names them; others stay behind the ones they followed, roughly as kubectl expects. */
function reorder(
  result: Record<string, Json | undefined>,
  key: string,
  { order, schema }: { order: Json | undefined; schema: Schema },
): void {
  const list = result[key]
  if (!isArray(list) || !isArray(order)) return
  const mergeKey = propertyOf(schema, key)['x-kubernetes-patch-merge-key']
  const identity = (item: Json | undefined) => (mergeKey !== undefined && isObject(item) ? item[mergeKey] : item)
  const rank = (item: Json) => order.findIndex((wanted) => sameJson(identity(wanted), identity(item)))
  const named = list.filter((item) => rank(item) >= 0).sort((a, b) => rank(a) - rank(b))
  let next = 0
  result[key] = list.map((item) => (rank(item) >= 0 ? (named[next++] as Json) : item))
}

function withoutDirectives(value: Json): Json {
  if (isArray(value)) return value.map(withoutDirectives)
  if (!isObject(value)) return value
  const plain = without(value, '$patch', '$retainKeys')
  return Object.fromEntries(
    Object.entries(plain)
      .filter(([key, member]) => member !== null && !key.startsWith(SET_ORDER) && !key.startsWith(DELETE_FROM))
      .map(([key, member]) => [key, member === undefined ? member : withoutDirectives(member)]),
  )
}

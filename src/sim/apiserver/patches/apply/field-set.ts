import type { Json, JsonObject } from '../../json.ts'
import { isArray, isObject, objectAt } from '../../json.ts'
import { resolved } from '../../schema/core-schemas.ts'
import type { Schema } from '../../schema/schema.ts'

/** Paths of fields, as `fieldsV1` of managedFields writes them: `f:name`, `k:{"type":"Ready"}`, `v:"x"`, and `.` for the item itself. */
export type FieldSet = JsonObject

const NOT_OWNED = ['apiVersion', 'kind']
const META_NOT_OWNED = [
  'name',
  'namespace',
  'generateName',
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'managedFields',
  'generation',
]

/** Every field that an applied configuration speaks of. */
export function fieldsOf(config: JsonObject, schema: Schema): FieldSet {
  const { metadata, ...rest } = Object.fromEntries(Object.entries(config).filter(([key]) => !NOT_OWNED.includes(key)))
  const meta = isObject(metadata)
    ? Object.fromEntries(Object.entries(metadata).filter(([key]) => !META_NOT_OWNED.includes(key)))
    : {}
  const owned = Object.keys(meta).length > 0 ? { metadata: meta, ...rest } : rest
  return objectFields(owned, schema)
}

function objectFields(value: JsonObject, schema: Schema): FieldSet {
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [`f:${key}`, fieldsBelow(member ?? null, memberSchema(schema, key))]),
  )
}

function fieldsBelow(value: Json, schema: Schema): FieldSet {
  if (isObject(value)) return objectFields(value, schema)
  if (!isArray(value)) return {}
  const items = schema.items ?? {}
  switch (schema['x-kubernetes-list-type']) {
    case 'map':
      return Object.fromEntries(value.map((item) => [itemKey(item, schema), { '.': {}, ...fieldsBelow(item, items) }]))
    case 'set':
      return Object.fromEntries(value.map((item) => [`v:${JSON.stringify(item)}`, {}]))
    default:
      return {}
  }
}

/** `k:{"type":"Ready"}`: by the keys that the schema names for the list. */
export function itemKey(item: Json | undefined, schema: Schema): string {
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  const object = isObject(item) ? item : {}
  return `k:${JSON.stringify(Object.fromEntries(keys.map((key) => [key, object[key] ?? defaultOf(schema, key)])))}`
}

function defaultOf(schema: Schema, key: string): Json | undefined {
  return memberSchema(schema.items ?? {}, key).default
}

export function memberSchema(schema: Schema, key: string): Schema {
  const { properties, additionalProperties } = resolved(schema)
  const property = properties && Object.hasOwn(properties, key) ? properties[key] : undefined
  return property ?? (typeof additionalProperties === 'object' ? additionalProperties : {})
}

/** What is in `a` and not in `b`. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return Object.fromEntries(
    Object.entries(a).flatMap(([key, below]) => {
      if (!(key in b)) return [[key, below]]
      const rest = difference(below as FieldSet, objectAt(b, key))
      return Object.keys(rest).length > 0 ? [[key, rest]] : []
    }),
  )
}

/** The leaves that are in both, as paths. */
export function commonLeaves(a: FieldSet, b: FieldSet, path: readonly string[] = []): (readonly string[])[] {
  return Object.entries(a).flatMap(([key, below]) => {
    if (!(key in b) || key === '.') return []
    const inside = commonLeaves(below as FieldSet, objectAt(b, key), [...path, key])
    const isLeaf = Object.keys(below as FieldSet).length === 0
    return isLeaf ? [[...path, key]] : inside
  })
}

export function withoutPaths(set: FieldSet, paths: readonly (readonly string[])[]): FieldSet {
  return paths.reduce<FieldSet>((rest, path) => difference(rest, nested(path)), set)
}

function nested([first, ...rest]: readonly string[]): FieldSet {
  return first === undefined ? {} : { [first]: nested(rest) }
}

import type { Json, JsonObject } from '../json.ts'
import { isArray, isObject } from '../json.ts'
import { resolved } from './core-schemas.ts'
import type { Schema } from './schema.ts'

/** A value of the wrong JSON type in a built-in kind, worded as Go's decoder does. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError'
}

export interface DecodeOptions {
  /** The version before: what is shared with it is known to be good and is not checked again. */
  readonly old?: Json | undefined
  /** Collects the paths of fields that the schema does not know; they are dropped. */
  readonly unknown: string[]
}

/**
 * What the schema knows of `value`: unknown fields and nulls dropped, defaults filled in. Below a reference everything is of a
 * built-in kind, and a wrong type is refused at once; custom resources do that in validation, with another error.
 * @throws {DecodeError}
 */
export function decode(value: Json, schema: Schema, options: DecodeOptions): Json {
  return visit(value, { schema, old: options.old, path: '', owner: undefined, goPath: '' }, options)
}

interface At {
  readonly schema: Schema
  readonly old: Json | undefined
  readonly path: string
  /** The Go struct that the value is in; none outside built-in kinds. */
  readonly owner: string | undefined
  /** The path as Go's decoder tells it, without keys of maps. */
  readonly goPath: string
}

function visit(value: Json, at: At, options: DecodeOptions): Json {
  if (value === at.old && typeof value === 'object') return value
  const schema = resolved(at.schema)
  const inside = structOf(at.schema) ?? at.owner
  const goPath = at.owner === undefined && at.schema.$ref !== undefined ? '' : at.goPath
  if (inside !== undefined && !isOfType(value, schema)) throw wrongType(value, schema, `${at.owner ?? inside}.${goPath}`)
  if (typeof value !== 'object' || value === null) return value
  const within = { schema, old: at.old, path: at.path, owner: inside, goPath }
  return isArray(value) ? visitArray(value, within, options) : visitObject(value as JsonObject, within, options)
}

/** The Go struct that the schema refers to: of few, and every object of every write is asked. */
const structs = new Map<string, string>()

function structOf({ $ref }: Schema): string | undefined {
  if ($ref === undefined) return undefined
  const known = structs.get($ref)
  if (known !== undefined) return known
  const name = $ref.slice($ref.lastIndexOf('.') + 1)
  structs.set($ref, name)
  return name
}

function visitArray(value: readonly Json[], at: At, options: DecodeOptions): Json {
  const { items } = at.schema
  if (!items) return value
  const old = isArray(at.old) ? at.old : []
  return value.map((item, index) => visit(item, { ...at, schema: items, old: old[index], path: `${at.path}[${index}]` }, options))
}

function visitObject(value: JsonObject, at: At, options: DecodeOptions): Json {
  const { schema } = at
  const old = isObject(at.old) ? at.old : undefined
  const keys = Object.keys(value)
  // Most objects come out as they went in: another one is made from the first member that does not.
  let result: Record<string, Json> | undefined
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string
    const given = value[key]
    // A patch changes few members of an object that it touches.
    const isShared = given !== undefined && given !== null && given === old?.[key]
    const member = isShared ? given : visitMember(given, { at, key, old: old?.[key] }, options)
    if (result === undefined && member !== undefined && member === given) continue
    result ??= membersAt(value, keys.slice(0, index))
    if (member !== undefined) result[key] = member
  }
  if (result === undefined && defaultsOf(schema).every(({ key }) => key in value)) return value
  result ??= membersAt(value, keys)
  fillDefaults(result, schema)
  return result
}

function membersAt(value: JsonObject, keys: readonly string[]): Record<string, Json> {
  const members: Record<string, Json> = {}
  for (const key of keys) members[key] = value[key] as Json
  return members
}

interface Member {
  readonly at: At
  readonly key: string
  readonly old: Json | undefined
}

/** @returns undefined for what is dropped */
function visitMember(member: Json | undefined, { at, key, old }: Member, options: DecodeOptions): Json | undefined {
  const schema = schemaOfMember(at.schema, key)
  if (schema === 'unknown') {
    options.unknown.push(pathOf(at, key))
    return undefined
  }
  if (schema === 'anything' || member === undefined) return member ?? null
  if (member === null && !schema.nullable) return undefined
  // Most are texts and numbers: where one stands is written down only if that is to be told.
  if (typeof member !== 'object' && isOfType(member, resolved(schema))) return member
  return visit(member, { schema, old, path: pathOf(at, key), owner: at.owner, goPath: goPathOf(at, key) }, options)
}

function pathOf({ path }: At, key: string): string {
  return path ? `${path}.${key}` : key
}

function goPathOf({ goPath, schema }: At, key: string): string {
  if (!schema.properties) return goPath
  return goPath ? `${goPath}.${key}` : key
}

function schemaOfMember(schema: Schema, key: string): Schema | 'unknown' | 'anything' {
  const property = schema.properties && Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined
  if (property) return property
  if (typeof schema.additionalProperties === 'object') return schema.additionalProperties
  if (schema['x-kubernetes-embedded-resource'] && ['kind', 'apiVersion', 'metadata'].includes(key)) return 'anything'
  const open = schema['x-kubernetes-preserve-unknown-fields'] || schema.additionalProperties === true
  return open || !(schema.properties || schema.type === 'object') ? 'anything' : 'unknown'
}

function fillDefaults(result: Record<string, Json>, schema: Schema): void {
  for (const { key, property, value } of defaultsOf(schema))
    if (!(key in result)) result[key] = decode(value, property, { unknown: [] })
}

/** Of dozens of properties few have one, and every object of every write is asked. */
const defaults = new WeakMap<Schema, readonly Default[]>()

interface Default {
  readonly key: string
  readonly property: Schema
  readonly value: Json
}

function defaultsOf(schema: Schema): readonly Default[] {
  const known = defaults.get(schema)
  if (known) return known
  const found = Object.entries(schema.properties ?? {}).flatMap(([key, property]) =>
    property.default === undefined ? [] : [{ key, property, value: property.default }],
  )
  defaults.set(schema, found)
  return found
}

function isOfType(value: Json, { type }: Schema): boolean {
  if (value === null || type === undefined) return true
  if (type === 'integer') return Number.isInteger(value)
  return type === (isArray(value) ? 'array' : typeof value)
}

function wrongType(value: Json, schema: Schema, path: string): DecodeError {
  const found = isArray(value) ? 'array' : typeof value
  const shown = found === 'boolean' ? 'bool' : found === 'number' && schema.type === 'integer' ? `number ${value}` : found
  return new DecodeError(`json: cannot unmarshal ${shown} into Go struct field ${path} of type ${goType(schema)}`)
}

function goType(schema: Schema): string {
  if (schema.type === 'integer') return schema.format ?? 'int64'
  if (schema.type === 'boolean') return 'bool'
  return schema.type === 'object' ? 'map[string]string' : schema.type === 'array' ? '[]interface {}' : 'string'
}

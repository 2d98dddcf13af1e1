import type { ApiObject } from '../api-object.ts'
import type { Json, JsonObject } from '../json.ts'
import { isArray, isObject } from '../json.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { groupVersion } from '../resources/resource-type.ts'
import { DecodeError, decode } from '../schema/decode.ts'
import { badRequest, invalid } from '../status-error.ts'
import type { ApiWriteOptions } from './write-options.ts'

export interface Decoding {
  readonly type: ResourceType
  /** The version before, when there is one. */
  readonly old?: ApiObject
  readonly options: ApiWriteOptions
  /** Collects what the client is to be warned of. */
  readonly warnings: string[]
}

/**
 * The object as the server understands it: kind and apiVersion first, unknown fields gone.
 * @throws {DecodeError} for a value of the wrong type, another kind or, when strict, unknown fields
 */
export function decodeObject(value: JsonObject, { type, old, options, warnings }: Decoding): ApiObject {
  checkKind(value, type)
  const { kind: _kind, apiVersion: _apiVersion, metadata, ...rest } = value
  const named = { kind: type.kind, apiVersion: groupVersion(type), metadata: isObject(metadata) ? metadata : {}, ...rest }
  const unknown: string[] = []
  const decoded = decodeTyped(named, { type, old, unknown })
  reportUnknown(unknown, { type, options, warnings })
  return withoutEmptyMeta(decoded)
}

function decodeTyped(
  named: JsonObject,
  { type, old, unknown }: { type: ResourceType; old: ApiObject | undefined; unknown: string[] },
): ApiObject {
  try {
    return decode(named, type.schema, { old, unknown }) as ApiObject
  } catch (error) {
    throw error instanceof DecodeError ? new DecodeError(`${cannotBe(type)}: ${error.message}`) : error
  }
}

function cannotBe(type: ResourceType): string {
  return `${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}`
}

function checkKind(value: JsonObject, type: ResourceType): void {
  if (type.custom) {
    checkCustomKind(value, type)
    return
  }
  const { kind = type.kind, apiVersion = groupVersion(type) } = value
  if (kind === type.kind && apiVersion === groupVersion(type)) return
  const version = String(apiVersion).split('/').at(-1)
  const cannot = `${String(kind)} in version "${version}" cannot be handled as a ${type.kind}`
  if (apiVersion !== groupVersion(type))
    throw new DecodeError(
      `${cannot}: no kind "${String(kind)}" is registered for version "${String(apiVersion)}" in scheme "pkg/runtime/scheme.go:111"`,
    )
  const internal = `${type.group.split('.')[0] || 'core'}.${type.kind}`
  throw new DecodeError(`${cannot}: converting (${version}.${String(kind)}) to (${internal}): unknown conversion`)
}

/** Custom resources must name their kind, and the error for a wrong one has other words. */
function checkCustomKind({ kind, apiVersion, metadata }: JsonObject, type: ResourceType): void {
  const missing = kind === undefined ? 'Kind' : apiVersion === undefined ? 'apiVersion' : undefined
  if (missing)
    throw new DecodeError(`the object provided is unrecognized (must be of type ${type.kind}): Object '${missing}' is missing`)
  const expected = groupVersion(type)
  if (apiVersion !== expected)
    throw badRequest(`the API version in the data (${String(apiVersion)}) does not match the expected API version (${expected})`)
  if (kind === type.kind) return
  const message = `Invalid value: ${JSON.stringify(kind)}: must be ${type.kind}`
  const name = isObject(metadata) ? String(metadata.name ?? '') : ''
  throw invalid({ group: type.group, kind: String(kind) }, name, [{ reason: 'FieldValueInvalid', message, field: 'kind' }])
}

function reportUnknown(
  unknown: readonly string[],
  { type, options, warnings }: Pick<Decoding, 'type' | 'options' | 'warnings'>,
): void {
  const texts = unknown.map((path) => `unknown field "${path}"`)
  if (options.unknownFields === 'Warn') warnings.push(...texts)
  if (options.unknownFields !== 'Strict' || texts.length === 0) return
  throw new DecodeError(`${cannotBe(type)}: strict decoding error: ${texts.join(', ')}`)
}

/** Go leaves empty maps and lists of metadata out. */
function withoutEmptyMeta(object: ApiObject): ApiObject {
  const { metadata } = object
  if (!Object.keys(metadata).some((key) => isEmpty(metadata[key]))) return object
  return { ...object, metadata: Object.fromEntries(Object.entries(metadata).filter(([, value]) => !isEmpty(value))) }
}

function isEmpty(value: Json | undefined): boolean {
  if (value === '' || value === null) return true
  return isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0
}

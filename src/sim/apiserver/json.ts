/** Plain JSON, never changed once made: a patched object shares what did not change with the one before it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

/** The member when it is an object, otherwise an empty one: for reading paths that may not be there. */
export function objectAt(value: JsonObject | undefined, key: string): JsonObject {
  const member = value?.[key]
  return isObject(member) ? member : {}
}

export function arrayAt(value: JsonObject | undefined, key: string): readonly Json[] {
  const member = value?.[key]
  return isArray(member) ? member : []
}

export function textAt(value: JsonObject | undefined, key: string): string {
  const member = value?.[key]
  return typeof member === 'string' ? member : ''
}

export function without(object: JsonObject, ...keys: readonly string[]): JsonObject {
  if (!keys.some((key) => key in object)) return object
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)))
}

/** Equal as JSON. Shared parts are not descended into, so comparing a patched object with its original is cheap. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  if (isArray(a)) return isArray(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index]))
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => key in b && sameJson(a[key], b[key]))
}

/**
 * What a request carries of plain data, as `JSON.parse(JSON.stringify(data))` tells it: members that are undefined are left out. Texts are
 * not copied, which is most of an object with annotations.
 */
export function asSent(data: unknown): Json {
  if (typeof data === 'string' || typeof data === 'boolean' || data === null) return data
  if (typeof data === 'number' && Number.isFinite(data)) return data
  if (Array.isArray(data)) return data.map((item) => (item === undefined ? null : asSent(item)))
  if (!isPlain(data)) return JSON.parse(JSON.stringify(data)) as Json
  const sent: Record<string, Json> = {}
  for (const key of Object.keys(data)) if (data[key] !== undefined) sent[key] = asSent(data[key])
  return sent
}

function isPlain(data: unknown): data is Readonly<Record<string, unknown>> {
  return typeof data === 'object' && data !== null && Object.getPrototypeOf(data) === Object.prototype && !('toJSON' in data)
}

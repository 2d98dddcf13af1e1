import type { Json } from './digest.ts'

export type JsonObject = { readonly [key: string]: Json }

/** RFC 7396: members merge, null removes, and everything else, lists included, replaces. Inputs stay as they are. */
export function applyMergePatch(target: Json | undefined, patch: JsonObject): JsonObject {
  // No plain object: a key `__proto__` would be no key of it.
  const merged = new Map<string, Json>(isJsonObject(target) ? Object.entries(target) : [])
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key)
    else merged.set(key, isJsonObject(value) ? applyMergePatch(merged.get(key), value) : value)
  }
  return Object.fromEntries(merged)
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export type JsonPath = readonly string[]

export interface Leaf {
  readonly path: JsonPath
  readonly value: Json
}

/** Every value that is no object, and every empty object, with its path. */
export function leavesOf(value: Json, path: JsonPath = []): Leaf[] {
  if (!isJsonObject(value)) return [{ path, value }]
  const members = Object.entries(value)
  return members.length === 0 ? [{ path, value }] : members.flatMap(([key, member]) => leavesOf(member, [...path, key]))
}

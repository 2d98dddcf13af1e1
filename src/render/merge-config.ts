import type { Json } from '../protocol/digest.ts'

export type JsonObject = { readonly [key: string]: Json }
export type JsonPath = readonly string[]

/** RFC 7396: members merge, null removes, and everything else, lists included, replaces. Inputs stay as they are. */
export function applyMergePatch(target: Json | undefined, patch: JsonObject): JsonObject {
  const merged = new Map<string, Json>(isObject(target) ? Object.entries(target) : [])
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key)
    else merged.set(key, isObject(value) ? applyMergePatch(merged.get(key), value) : value)
  }
  return Object.fromEntries(merged)
}

/**
 * One patch that does what the patches do one after the other; nulls are kept, for what it will be applied to is not known here.
 * @throws {UnsayableError} where one removes an object and a later one sets members of it: a merge patch cannot say "in place of".
 */
export function composeMergePatches(patches: readonly JsonObject[]): JsonObject {
  return patches.reduce((earlier, later) => compose(earlier, later, []), {})
}

export class UnsayableError extends Error {
  override readonly name = 'UnsayableError'
  readonly path: JsonPath
  constructor(path: JsonPath) {
    super(`"${path.join('.')}" is removed and then set again`)
    this.path = path
  }
}

function compose(earlier: JsonObject, later: JsonObject, path: JsonPath): JsonObject {
  const composed = new Map<string, Json>(Object.entries(earlier))
  for (const [key, value] of Object.entries(later)) composed.set(key, composeMember(composed.get(key), value, [...path, key]))
  return Object.fromEntries(composed)
}

function composeMember(earlier: Json | undefined, later: Json, path: JsonPath): Json {
  if (!isObject(later) || earlier === undefined) return later
  if (!isObject(earlier)) throw new UnsayableError(path)
  return compose(earlier, later, path)
}

export function isObject(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

export interface Leaf {
  readonly path: JsonPath
  readonly value: Json
}

/** Every value that is no object, and every empty object, with its path. */
export function leavesOf(value: Json, path: JsonPath = []): Leaf[] {
  if (!isObject(value)) return [{ path, value }]
  const members = Object.entries(value)
  return members.length === 0 ? [{ path, value }] : members.flatMap(([key, member]) => leavesOf(member, [...path, key]))
}

import type { Json } from '../protocol/digest.ts'
import { isJsonObject, type JsonObject, type JsonPath } from '../protocol/merge-patch.ts'

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
  if (!isJsonObject(later) || earlier === undefined) return later
  if (!isJsonObject(earlier)) throw new UnsayableError(path)
  return compose(earlier, later, path)
}

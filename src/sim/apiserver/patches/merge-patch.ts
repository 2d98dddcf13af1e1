import type { Json } from '../json.ts'
import { isObject, without } from '../json.ts'

/** JSON merge patch, RFC 7396. What the patch does not touch is shared with `target`. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch
  const keys = Object.keys(patch)
  const before = isObject(target) ? target : {}
  const removed = keys.filter((key) => patch[key] === null)
  // An object that a member was deleted from is a slow one, and so are all copies of it.
  const result: Record<string, Json> = { ...(without(before, ...removed) as Record<string, Json>) }
  for (const key of keys) {
    const value = patch[key]
    if (value !== null && value !== undefined) result[key] = mergePatch(before[key], value)
  }
  return result
}

import type { Json } from '../json.ts'
import { isObject } from '../json.ts'

/** JSON merge patch, RFC 7396. What the patch does not touch is shared with `target`. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch
  const result: Record<string, Json> = isObject(target) ? ({ ...target } as Record<string, Json>) : {}
  for (const key of Object.keys(patch)) {
    const value = patch[key]
    if (value === null) delete result[key]
    else if (value !== undefined) result[key] = mergePatch(result[key], value)
  }
  return result
}

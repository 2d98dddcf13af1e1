import { compareTexts } from '../protocol/by-text.ts'
import type { Json } from '../protocol/digest.ts'
import { isJsonObject, type JsonObject, leavesOf } from '../protocol/merge-patch.ts'
import type { Layer } from './layers.ts'
import type { Origin } from './render-problem.ts'

/** A value and the place that states it. */
export interface Sourced {
  readonly path: readonly string[]
  readonly value: Json
  readonly origin: Origin
}

/** The value that counts, and those it took the place of, the latest first. */
export interface Traced extends Sourced {
  readonly overrode: readonly Sourced[]
}

/**
 * Where every leaf of the merged configuration comes from, sorted by path. A leaf whose value is null says that the field is removed.
 * Slower than merging: it is for a person's question about one node.
 */
export function traceConfig(layers: readonly Layer<JsonObject>[]): Traced[] {
  let traced: Traced[] = []
  for (const layer of layers) {
    for (const { path, value } of leavesOf(layer.value)) {
      const covered = traced.filter((earlier) => isSameOrWithin(earlier.path, path) || isSameOrWithin(path, earlier.path))
      // Members merge, so an empty object takes nothing away from an object that is there.
      if (isEmpty(value) && covered.some((earlier) => earlier.path.length > path.length)) continue
      const overrode = covered.flatMap((earlier) => [earlier, ...earlier.overrode]).filter((earlier) => !isEmpty(earlier.value))
      traced = [
        ...traced.filter((earlier) => !covered.includes(earlier)),
        { path, value, origin: { doc: layer.doc, path: [...layer.path, ...path] }, overrode },
      ]
    }
  }
  return traced.sort(byPath)
}

export function isSameOrWithin(path: readonly string[], ancestor: readonly string[]): boolean {
  return ancestor.length <= path.length && ancestor.every((step, index) => step === path[index])
}

function isEmpty(value: Json): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0
}

function byPath(a: Sourced, b: Sourced): number {
  return compareTexts(a.path.join('.'), b.path.join('.'))
}

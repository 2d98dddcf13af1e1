import {
  DEFAULT_MAP_FLAGS,
  flagEntries,
  isEmptyMap,
  isMapFlag,
  type MapFlags,
  mergeMaps,
  withoutRemovals,
} from '../repo/flag-maps.ts'
import type { Flags, FlagValue } from '../repo/schema/common.ts'
import { isOverride, type Layer } from './layers.ts'
import { FlagValueError, quoteFlags } from './quote-flags.ts'
import { type Origin, problemAt, RenderError, type RenderProblem } from './render-problem.ts'
import { fillTemplates, referencesIn } from './templates.ts'

/** Its place is the last one that says something of it. */
export interface MergedFlag extends Layer<FlagValue> {
  /** Every place that a merged map comes from; otherwise only the last. */
  readonly from: readonly Origin[]
}

export type MergedFlags = ReadonlyMap<string, MergedFlag>

export interface SplitFlags {
  /** The same on every node of the pool: they go into the ConfigMap. */
  readonly shared: MergedFlags
  /** Of overrides, or with templates: they go into KUBELET_OPTS, so that nodes can still share the ConfigMap. */
  readonly own: MergedFlags
}

/**
 * One value for each flag. Were a flag of an override to stand beside the shared one, the kubelet would let the last win for a scalar, but
 * add up both for a list or a map.
 */
export function mergeFlags(layers: readonly Layer<Flags>[], maps: MapFlags = DEFAULT_MAP_FLAGS): MergedFlags {
  const merged = new Map<string, MergedFlag>()
  for (const layer of flagsIn(layers)) {
    const { name } = layer
    const next = maps === 'Merge' ? mergedFlag(merged.get(name), layer) : replacing(layer)
    if (next === undefined) merged.delete(name)
    else merged.set(name, next)
  }
  return merged
}

interface NamedFlag extends Layer<FlagValue> {
  readonly name: string
}

function flagsIn(layers: readonly Layer<Flags>[]): NamedFlag[] {
  return layers.flatMap(({ doc, path, value: flags }) =>
    Object.entries(flags).map(([name, value]) => ({ name, doc, path: [...path, name], value })),
  )
}

function replacing({ doc, path, value }: NamedFlag): MergedFlag {
  return { doc, path, value, from: [{ doc, path }] }
}

/** @returns undefined when every key is removed */
function mergedFlag(earlier: MergedFlag | undefined, later: NamedFlag): MergedFlag | undefined {
  const { name, doc, path } = later
  const merged = earlier && mergeMaps(name, earlier.value, later.value)
  if (earlier && merged !== undefined)
    return isEmptyMap(merged) ? undefined : { doc, path, value: merged, from: [...earlier.from, { doc, path }] }
  const value = withoutRemovals(name, later.value)
  return value === undefined ? undefined : { ...replacing(later), value }
}

/** Flags whose maps are to be merged, and one of which cannot be read as a map. */
export function unmergeableFlags(layers: readonly Layer<Flags>[]): RenderProblem[] {
  const named = Map.groupBy(flagsIn(layers), ({ name }) => name)
  return [...named].flatMap(([name, all]) => {
    const odd = all.filter(({ value }) => flagEntries(name, value) === undefined)
    const [first] = odd
    if (first === undefined || all.length === 1 || (odd.length === all.length && !isMapFlag(name))) return []
    return [
      problemAt(
        `flag --${name} is in several layers, and this text cannot be read as a map, so it cannot be merged; write it as a map`,
        first,
      ),
    ]
  })
}

export function splitFlags(merged: MergedFlags): SplitFlags {
  const isOwn = ({ from, value }: MergedFlag): boolean => from.some(isOverride) || referencesIn(value).length > 0
  return {
    shared: new Map([...merged].filter(([, flag]) => !isOwn(flag))),
    own: new Map([...merged].filter(([, flag]) => isOwn(flag))),
  }
}

/**
 * @returns undefined for no flags at all.
 * @throws {RenderError} when a value cannot be said in the kubelet's syntax.
 */
export function flagString(flags: MergedFlags, resolved: ReadonlyMap<string, string>): string | undefined {
  if (flags.size === 0) return undefined
  try {
    return quoteFlags(Object.fromEntries([...flags].map(([name, { value }]) => [name, fillTemplates(value, resolved)])))
  } catch (cause) {
    const culprit = cause instanceof FlagValueError ? flags.get(cause.flag) : undefined
    if (!(cause instanceof FlagValueError) || culprit === undefined) throw cause
    throw new RenderError(problemAt(cause.message, culprit), { cause })
  }
}

import type { Flags, FlagValue } from '../repo/schema/common.ts'
import { isOverride, type Layer } from './layers.ts'
import { FlagValueError, quoteFlags } from './quote-flags.ts'
import { problemAt, RenderError } from './render-problem.ts'
import { fillTemplates, referencesIn } from './templates.ts'

export type MergedFlags = ReadonlyMap<string, Layer<FlagValue>>

export interface SplitFlags {
  /** The same on every node of the pool: they go into the ConfigMap. */
  readonly shared: MergedFlags
  /** Of overrides, or with templates: they go into KUBELET_OPTS, so that nodes can still share the ConfigMap. */
  readonly own: MergedFlags
}

/**
 * A later layer replaces a flag as a whole. So does an override: were its flag to stand beside the shared one, the kubelet would let
 * the last win for a scalar, but add up both for a list or a map.
 */
export function mergeFlags(layers: readonly Layer<Flags>[]): MergedFlags {
  const merged = new Map<string, Layer<FlagValue>>()
  for (const { doc, path, value: flags } of layers)
    for (const [name, value] of Object.entries(flags)) merged.set(name, { doc, path: [...path, name], value })
  return merged
}

export function splitFlags(merged: MergedFlags): SplitFlags {
  const isOwn = (layer: Layer<FlagValue>): boolean => isOverride(layer) || referencesIn(layer.value).length > 0
  return {
    shared: new Map([...merged].filter(([, layer]) => !isOwn(layer))),
    own: new Map([...merged].filter(([, layer]) => isOwn(layer))),
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

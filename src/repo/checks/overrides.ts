import { isDeepStrictEqual } from 'node:util'
import { type LabelRequirement, requirementsOf } from '../../protocol/node-selector.ts'
import { type Draft, errorAt, type Loaded } from '../draft.ts'
import { type MapFlags, statedFlags } from '../flag-maps.ts'
import { formatLocation, type Problem } from '../problem.ts'
import type { NodeOverrideSpec } from '../schema/node-override.ts'
import type { Path } from '../source.ts'

/**
 * Overrides are one level: none of them comes before another, so two that surely meet on a node may not disagree.
 * Those with different selectors may meet too; that shows with the nodes there are.
 */
export function checkOverrides({ documents }: Draft): Problem[] {
  const first = new Map<string, { readonly override: Loaded<NodeOverrideSpec>; readonly path: Path; readonly value: unknown }>()
  const [fleet] = documents.Fleet.values()
  return [...documents.NodeOverride.values()].flatMap((override) =>
    valuesOf(override.spec, fleet?.spec.mapFlags).flatMap(([path, value]) => {
      const key = JSON.stringify([targetOf(override.spec), path])
      const other = first.get(key)
      if (!other) first.set(key, { override, path, value })
      if (!other || isDeepStrictEqual(other.value, value)) return []
      const message = `override "${other.override.name}" sets another value for the same node (${formatLocation(other.override.source.where(path))})`
      return [errorAt(override, path, { reason: 'Conflict', message })]
    }),
  )
}

function targetOf({ node, nodeSelector }: NodeOverrideSpec): unknown {
  return node ?? (nodeSelector && requirementsOf(nodeSelector).map(conditionText).sort())
}

function conditionText({ key, operator, values = [] }: LabelRequirement): string {
  return JSON.stringify([key, operator, [...values].sort()])
}

/** Configuration by its leaves, flags as they are merged. */
function valuesOf({ flags, config = {}, sysctls = {} }: NodeOverrideSpec, maps: MapFlags | undefined): [Path, unknown][] {
  return [
    ...statedFlags(flags, maps).map(({ path, value }): [Path, unknown] => [['flags', ...path], value]),
    ...leaves(config, ['config']),
    ...Object.entries(sysctls).map(([name, value]): [Path, unknown] => [['sysctls', name], String(value)]),
  ]
}

function leaves(value: object, path: Path): [Path, unknown][] {
  return Object.entries(value).flatMap(([key, child]): [Path, unknown][] =>
    child !== null && typeof child === 'object' && !Array.isArray(child)
      ? leaves(child, [...path, key])
      : [[[...path, key], child]],
  )
}

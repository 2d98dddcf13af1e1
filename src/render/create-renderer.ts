import { byText } from '../protocol/by-text.ts'
import { DEFAULT_NAMESPACE } from '../protocol/names.ts'
import type { Doc, FleetModel } from '../repo/model.ts'
import type { NodeOverrideSpec } from '../repo/schema/node-override.ts'
import type { NodePoolSpec } from '../repo/schema/node-pool.ts'
import { instantiate, type RenderResult, resolveReferences } from './instantiate.ts'
import { appliesTo, contentOfOverride } from './layers.ts'
import type { NodeFacts } from './node-facts.ts'
import { prepareVariant, type Variant } from './prepare-variant.ts'
import { type PoolOwnership, selectPool } from './select-pool.ts'

/** Renders the nodes of a fleet at one commit. It remembers: equal nodes get the same object, and the work is done once for all of them. */
export interface Renderer {
  poolOf(node: NodeFacts): PoolOwnership
  /** @param pool that owns the node. @throws {RangeError} when the fleet has no such pool. */
  render(pool: string, node: NodeFacts): RenderResult
}

interface Prepared {
  readonly variant: Variant
  /** By the values of the variant's references. */
  readonly results: Map<string, RenderResult>
}

/** Key of the result of a variant that has none. */
const NO_REFERENCES = ''

/** Of one variant: facts of nodes change, and what was rendered of former ones is of no use to anybody. */
const MOST_RESULTS = 10_000

export function createRenderer(model: FleetModel, options: { readonly namespace?: string } = {}): Renderer {
  const namespace = options.namespace ?? DEFAULT_NAMESPACE
  const preparedBySubject = new Map<string, Prepared>()
  const preparedByContent = new Map<string, Prepared>()
  const overridesFor = overrideIndex(model.overrides)

  function prepared(pool: Doc<NodePoolSpec>, overrides: readonly Doc<NodeOverrideSpec>[]): Prepared {
    const key = [pool.name, ...overrides.map((override) => override.name)].join('\0')
    const found = preparedBySubject.get(key) ?? preparedAlike(pool, overrides)
    preparedBySubject.set(key, found)
    return found
  }

  /** Overrides with equal content share a variant, unless it has problems: these name the file of each. */
  function preparedAlike(pool: Doc<NodePoolSpec>, overrides: readonly Doc<NodeOverrideSpec>[]): Prepared {
    const content = [pool.name, ...overrides.map(contentOfOverride)].join('\0')
    const known = preparedByContent.get(content)
    if (known) return known
    const variant = prepareVariant(model, { pool, overrides })
    const prepared: Prepared = { variant, results: new Map() }
    if (variant.references.size > 0) return prepared
    const result = instantiate(variant, new Map(), namespace)
    prepared.results.set(NO_REFERENCES, result)
    if (result.ok) preparedByContent.set(content, prepared)
    return prepared
  }

  return {
    poolOf: (node) => selectPool(model.pools, node),
    render(name, node) {
      const pool = model.pools.get(name)
      if (pool === undefined) throw new RangeError(`render node "${node.name}": there is no pool "${name}"`)
      const { variant, results } = prepared(pool, overridesFor(node))
      const resolved = resolveReferences(variant, node)
      if (Array.isArray(resolved)) return { ok: false, pool: name, problems: [...variant.problems, ...resolved] }
      const key = [...resolved.values()].join('\0')
      const result = results.get(key) ?? instantiate(variant, resolved, namespace)
      if (results.size >= MOST_RESULTS) results.clear()
      results.set(key, result)
      return result
    },
  }
}

const NONE: readonly Doc<NodeOverrideSpec>[] = []

/** Most overrides are for one node by name; looking each up by every node would make large fleets slow. */
function overrideIndex(overrides: FleetModel['overrides']): (node: NodeFacts) => readonly Doc<NodeOverrideSpec>[] {
  const byNode = Map.groupBy(overrides, (override) => override.spec.node)
  const bySelector = byNode.get(undefined) ?? NONE
  return (node) => {
    const own = byNode.get(node.name) ?? NONE
    const selected = bySelector.length === 0 ? NONE : bySelector.filter((override) => appliesTo(override, node))
    return selected.length === 0 ? own : own.length === 0 ? selected : inOrderOfNames([...own, ...selected])
  }
}

function inOrderOfNames(overrides: Doc<NodeOverrideSpec>[]): Doc<NodeOverrideSpec>[] {
  return overrides.sort(byText(({ name }) => name))
}

import type { Doc, FleetModel } from '../repo/model.ts'
import type { NodePoolSpec } from '../repo/schema/node-pool.ts'
import { contentOfOverride, type LayerSubject } from './layers.ts'
import { flagString } from './prepare-flags.ts'
import { prepareVariant } from './prepare-variant.ts'
import { collecting, type RenderProblem } from './render-problem.ts'
import { referencesIn } from './templates.ts'

/**
 * What keeps all nodes of a pool, or of an override, from being rendered, whatever nodes there are: values that no flag string can carry,
 * templates that no node can fill in. A commit that has any of these should not be rolled out.
 */
export function checkModel(model: FleetModel): RenderProblem[] {
  const ofPools = [...model.pools.values()].flatMap((pool) => checkSubject(model, { pool, overrides: [] }))
  const problems = [...ofPools, ...checkOverrides(model)]
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()]
}

/** What one override says without a problem is not checked again for others that say the same. */
function checkOverrides(model: FleetModel): RenderProblem[] {
  const valid = new Set<string>()
  return model.overrides.flatMap((override) => {
    const content = contentOfOverride(override)
    if (valid.has(content)) return []
    const problems = checkSubject(model, { pool: BARE_POOL, overrides: [override] })
    if (problems.length === 0) valid.add(content)
    return problems
  })
}

function checkSubject(model: FleetModel, subject: LayerSubject): RenderProblem[] {
  const { problems, ownFlags } = prepareVariant(model, subject)
  const found = [...problems]
  const untemplated = new Map([...ownFlags].filter(([, { value }]) => referencesIn(value).length === 0))
  collecting(found, () => flagString(untemplated, new Map()))
  return found
}

/** An override is checked by itself: to check each with each pool would take too long in large fleets. */
const BARE_POOL: Doc<NodePoolSpec> = {
  kind: 'NodePool',
  name: 'none',
  spec: { nodeSelector: { matchLabels: {} } },
  source: { where: () => ({ file: '', line: 1, column: 1 }) },
}

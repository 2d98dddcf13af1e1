import { NUMBER_FACTS } from '../repo/expressions/expression.ts'
import type { Doc, FleetModel } from '../repo/model.ts'
import type { NodeOverrideSpec } from '../repo/schema/node-override.ts'
import type { NodePoolSpec } from '../repo/schema/node-pool.ts'
import { prepareVariant } from './prepare-variant.ts'
import { hostFile } from './render-host.ts'

/** Tells of a pool whether some number of it, or of an override, is calculated from what machines have. */
export function capacityReaders(model: FleetModel): (pool: Doc<NodePoolSpec>) => boolean {
  const inOverrides = model.overrides.some(({ spec }) => textsOf(model, spec).some(mentionsCapacity))
  return (pool) => inOverrides || [...prepareVariant(model, { pool, overrides: [] }).references.keys()].some(mentionsCapacity)
}

/** What an override says itself, and the files of the repository that it names. */
function textsOf(model: FleetModel, spec: NodeOverrideSpec): string[] {
  const templates = (spec.files ?? []).filter(({ template }) => template)
  return [JSON.stringify(spec), ...templates.map((file) => hostFile(model, file).content ?? '')]
}

function mentionsCapacity(text: string): boolean {
  return NUMBER_FACTS.some((fact) => text.includes(fact))
}

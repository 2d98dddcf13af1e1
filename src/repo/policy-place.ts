import type { FleetModel } from './model.ts'

type Path = readonly (string | number)[]

/** Where a field of the Fleet stands, or of a pool, in its own document or in the Fleet's; else the nearest place: `fleet.yaml:12`. */
export function policyPlace({ fleet, pools }: FleetModel, field: string, pool?: string): string {
  const path = field.split(/[.[\]]+/).filter((step) => step !== '')
  const own = pool === undefined ? fleet : (pools.get(pool) ?? fleet)
  const stated = [path, path.slice(0, 2)].flatMap((at) => [own, fleet].filter(({ spec }) => isIn(spec, at)))
  const { file, line } = (stated[0] ?? own).source.where(path)
  return `${file}:${line}`
}

function isIn(spec: object, path: Path): boolean {
  let value: unknown = spec
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return false
    value = (value as Record<string, unknown>)[step]
  }
  return true
}

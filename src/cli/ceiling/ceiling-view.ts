import { isDeepStrictEqual } from 'node:util'
import type { CeilingView } from '../../controller/cache/ceiling-schema.ts'
import { changeViolation } from '../../controller/ceilings/content-violation.ts'
import { blastReasons } from '../../render/blast-radius.ts'
import { createRenderer, type Renderer } from '../../render/create-renderer.ts'
import type { PlannedNode } from '../../render/node-facts.ts'
import type { FleetPlan } from '../../render/plan-fleet.ts'
import type { PoolPlan } from '../../render/plan-pool.ts'
import type { FleetModel } from '../../repo/model.ts'
import { policyPlace } from '../../repo/policy-place.ts'
import { poolDependencies } from '../../repo/pool-dependencies.ts'
import { rolloutSettings } from '../../repo/rollout-settings.ts'
import { looseningReason, type PolicySide } from '../../rollout/ceilings/loosening-reason.ts'
import { policyViolation } from '../../rollout/ceilings/policy-violation.ts'

export interface CeilingContext {
  /** Undefined: there was no commit. */
  readonly before: FleetModel | undefined
  readonly model: FleetModel
  readonly nodes: readonly PlannedNode[]
  /** Undefined: there is none, or nobody knows. */
  readonly ceiling?: CeilingView | undefined
}

/** What a Ceiling says of a plan. */
export interface CeilingVerdict {
  /** Why the commit would be held until a person promotes it. */
  readonly held: readonly string[]
  /** By pool, why it would change no node. */
  readonly refusals: ReadonlyMap<string, { readonly message: string; readonly where: string }>
}

export function underCeiling({ blast, pools }: FleetPlan, context: CeilingContext): CeilingVerdict {
  const { before, model, ceiling } = context
  if (ceiling === undefined) return { held: [], refusals: new Map() }
  const placeOf = (field: string, pool?: string) => policyPlace(model, field, pool)
  const loosened = before && looseningReason({ ...blast, before: policySide(before), after: policySide(model), placeOf })
  const limits = blastReasons({ ...blast, abandoned: [], leavesNoPool: false }, ceiling.blastRadius)
  const subject = { ...context, ceiling, renderer: createRenderer(model) }
  const refusals = pools.flatMap((pool) => {
    const violation = violationOf(pool, subject)
    const where = policyPlace(model, 'rollout', pool.pool)
    return violation === undefined ? [] : [[pool.pool, { message: `by the Ceiling "fleet": ${violation}`, where }] as const]
  })
  return {
    // The first commit is never held: it brings the pools that it would wait in.
    held: before === undefined ? [] : [...limits, ...[loosened ?? []].flat()],
    refusals: new Map(refusals),
  }
}

type Subject = CeilingContext & { readonly ceiling: CeilingView; readonly renderer: Renderer }

/** A pool that neither changes nor is to be rolled out otherwise is not what the plan is about. */
function violationOf(plan: PoolPlan, { before, model, nodes, ceiling: { ceiling }, renderer }: Subject): string | undefined {
  const [old, pool] = [before?.pools.get(plan.pool), model.pools.get(plan.pool)]
  if (pool === undefined) return undefined
  const policy = rolloutSettings(model.fleet.spec, pool.spec)
  const isSame = before && old && isDeepStrictEqual(rolloutSettings(before.fleet.spec, old.spec), policy)
  if (isSame && plan.touched.length === 0) return undefined
  const byName = new Map(nodes.map((node) => [node.name, node]))
  const members = plan.nodes.flatMap((name) => byName.get(name) ?? [])
  const places = {
    maxUnavailable: policyPlace(model, 'rollout.maxUnavailable', pool.name),
    waves: policyPlace(model, 'rollout.waves', pool.name),
  }
  const violation = policyViolation({ name: pool.name, policy, nodes: members, places }, ceiling)
  if (violation !== undefined) return violation
  for (const { nodes: names, disruption } of plan.groups)
    for (const name of names) {
      const node = byName.get(name)
      const rendered = node && renderer.render(pool.name, node)
      const content = rendered?.ok ? rendered.content : undefined
      const found = node && content && changeViolation(node, { content, disruption }, ceiling)
      if (found !== undefined) return `node "${name}": ${found}`
    }
  return undefined
}

function policySide({ fleet, pools }: FleetModel): PolicySide {
  const policies = [...pools.values()].map(({ name, spec }) => {
    return [name, { ...rolloutSettings(fleet.spec, spec), ...poolDependencies(spec) }] as const
  })
  return { fleet: fleet.spec, pools: new Map(policies) }
}

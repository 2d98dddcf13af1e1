import type { FleetModel } from '../repo/model.ts'
import { rolloutSettings } from '../repo/rollout-settings.ts'
import { type Blast, type BlastStep, blastReasons, measureBlast } from './blast-radius.ts'
import { createRenderer, type Renderer } from './create-renderer.ts'
import type { RenderedNode } from './instantiate.ts'
import type { NodeFacts, PlannedNode } from './node-facts.ts'
import { type PoolPlan, planPool } from './plan-pool.ts'
import type { RenderProblem } from './render-problem.ts'

/** What a change of the repository does to a fleet. */
export interface FleetPlan {
  /** Every pool that the fleet has afterwards, by name. */
  readonly pools: readonly PoolPlan[]
  readonly addedPools: readonly string[]
  readonly removedPools: readonly string[]
  /** Nodes that two pools claim afterwards. */
  readonly contested: readonly RenderProblem[]
  /** Nodes that a pool had before and none has afterwards: they stay as they are. */
  readonly released: readonly string[]
  /** Why the controller would hold the commit until a person promotes it; empty: it would not. */
  readonly held: readonly string[]
  readonly blast: Blast
}

export interface PlanInput {
  readonly from: FleetModel
  readonly to: FleetModel
  readonly nodes: readonly PlannedNode[]
}

/** A node with the pools and contents of both sides. */
interface Owned {
  readonly node: PlannedNode
  readonly ownerBefore: Ownership
  readonly before: RenderedNode | undefined
  readonly owner: Ownership
}

type Ownership = ReturnType<Renderer['poolOf']>

export function planFleet({ from, to, nodes }: PlanInput): FleetPlan {
  const before = createRenderer(from)
  const after = createRenderer(to)
  const owned = nodes.map((node): Owned => {
    const ownerBefore = before.poolOf(node)
    return { node, ownerBefore, before: renderedBy(before, { node, owner: ownerBefore }), owner: after.poolOf(node) }
  })
  const byPool = Map.groupBy(owned, ({ owner }) => (owner.kind === 'owned' ? owner.pool : undefined))
  const blast = measureBlast(
    owned.flatMap((each) => blastStep(each, after)),
    { before: new Set(from.pools.keys()), after: new Set(to.pools.keys()) },
  )
  return {
    pools: [...to.pools.values()]
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, spec }) =>
        planPool(
          name,
          (byPool.get(name) ?? []).map(({ node, before }) => ({ node, before, after: after.render(name, node) })),
          rolloutSettings(to.fleet.spec, spec).disruption,
        ),
      ),
    addedPools: sorted(to.pools.keys()).filter((pool) => !from.pools.has(pool)),
    removedPools: sorted(from.pools.keys()).filter((pool) => !to.pools.has(pool)),
    contested: owned.flatMap(({ owner }) => (owner.kind === 'contested' ? [owner.problem] : [])),
    released: owned.filter(({ owner, before }) => owner.kind === 'unowned' && before !== undefined).map(({ node }) => node.name),
    held: blastReasons(blast, from.fleet.spec.blastRadius),
    blast,
  }
}

function renderedBy(
  renderer: Renderer,
  { node, owner }: { readonly node: NodeFacts; readonly owner: Ownership },
): RenderedNode | undefined {
  const rendered = owner.kind === 'owned' ? renderer.render(owner.pool, node) : undefined
  return rendered?.ok ? rendered : undefined
}

/** What pools have completed before is known to the cluster alone: a revert may be told as held though it will not be. */
function blastStep({ node, ownerBefore, before, owner }: Owned, after: Renderer): BlastStep[] {
  const poolBefore = ownerBefore.kind === 'owned' ? ownerBefore.pool : undefined
  const poolAfter = owner.kind === 'owned' ? owner.pool : undefined
  if (poolBefore === undefined && poolAfter === undefined) return []
  return [{ poolBefore, poolAfter, before, after: renderedBy(after, { node, owner }), returns: false }]
}

function sorted(names: Iterable<string>): string[] {
  return [...names].sort()
}

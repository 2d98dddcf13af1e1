import type { FleetModel } from '../repo/model.ts'
import { createRenderer, type Renderer } from './create-renderer.ts'
import type { RenderedNode } from './instantiate.ts'
import type { NodeFacts } from './node-facts.ts'
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
}

export interface PlannedNode extends NodeFacts {
  /** What runs on it now, where that is known. */
  readonly kubeletVersion?: string | undefined
}

export interface PlanInput {
  readonly from: FleetModel
  readonly to: FleetModel
  readonly nodes: readonly PlannedNode[]
}

export function planFleet({ from, to, nodes }: PlanInput): FleetPlan {
  const before = createRenderer(from)
  const after = createRenderer(to)
  const owned = nodes.map((node) => ({ node, before: renderedBy(before, node), owner: after.poolOf(node) }))
  const byPool = Map.groupBy(owned, ({ owner }) => (owner.kind === 'owned' ? owner.pool : undefined))
  return {
    pools: sorted(to.pools.keys()).map((pool) =>
      planPool(
        pool,
        (byPool.get(pool) ?? []).map(({ node, before }) => ({ node, before, after: after.render(pool, node) })),
      ),
    ),
    addedPools: sorted(to.pools.keys()).filter((pool) => !from.pools.has(pool)),
    removedPools: sorted(from.pools.keys()).filter((pool) => !to.pools.has(pool)),
    contested: owned.flatMap(({ owner }) => (owner.kind === 'contested' ? [owner.problem] : [])),
    released: owned.filter(({ owner, before }) => owner.kind === 'unowned' && before !== undefined).map(({ node }) => node.name),
  }
}

function renderedBy(renderer: Renderer, node: NodeFacts): RenderedNode | undefined {
  const owner = renderer.poolOf(node)
  const rendered = owner.kind === 'owned' ? renderer.render(owner.pool, node) : undefined
  return rendered?.ok ? rendered : undefined
}

function sorted(names: Iterable<string>): string[] {
  return [...names].sort()
}

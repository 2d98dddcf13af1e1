import { byText } from '../protocol/by-text.ts'
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
  /** Undefined: the nodes run no commit yet. */
  readonly from: FleetModel | undefined
  readonly to: FleetModel
  readonly nodes: readonly PlannedNode[]
  /** What nodes are rendered from at a commit. Default: what they are now. */
  readonly factsAt?: (model: FleetModel) => FactsIn
}

type FactsIn = (pool: string, node: NodeFacts) => NodeFacts

/** A node with the pools and contents of both sides. */
interface Owned {
  readonly node: PlannedNode
  readonly ownerBefore: Ownership
  readonly before: RenderedNode | undefined
  readonly owner: Ownership
}

type Ownership = ReturnType<Renderer['poolOf']>

const NO_OWNER: Ownership = { kind: 'unowned' }

export function planFleet({ from, to, nodes, factsAt = () => (_, node) => node }: PlanInput): FleetPlan {
  const before = from && rendererAt(from, factsAt(from))
  const after = rendererAt(to, factsAt(to))
  const owned = nodes.map((node): Owned => {
    const ownerBefore = before?.poolOf(node) ?? NO_OWNER
    const rendered = before && renderedBy(before, { node, owner: ownerBefore })
    return { node, ownerBefore, before: rendered, owner: after.poolOf(node) }
  })
  const poolsBefore = new Set(from?.pools.keys())
  const byPool = Map.groupBy(owned, ({ owner }) => (owner.kind === 'owned' ? owner.pool : undefined))
  const blast = measureBlast(
    owned.flatMap((each) => blastStep(each, after)),
    { before: poolsBefore, after: new Set(to.pools.keys()) },
  )
  return {
    pools: [...to.pools.values()].sort(byText(({ name }) => name)).map(({ name, spec }) =>
      planPool(
        name,
        (byPool.get(name) ?? []).map(({ node, before }) => ({ node, before, after: after.render(name, node) })),
        rolloutSettings(to.fleet.spec, spec).disruption,
      ),
    ),
    addedPools: sorted(to.pools.keys()).filter((pool) => !poolsBefore.has(pool)),
    removedPools: sorted(poolsBefore).filter((pool) => !to.pools.has(pool)),
    contested: owned.flatMap(({ owner }) => (owner.kind === 'contested' ? [owner.problem] : [])),
    released: owned.filter(({ owner, before }) => owner.kind === 'unowned' && before !== undefined).map(({ node }) => node.name),
    held: blastReasons(blast, from?.fleet.spec.blastRadius),
    blast,
  }
}

function rendererAt(model: FleetModel, factsIn: FactsIn): Renderer {
  const renderer = createRenderer(model)
  return { ...renderer, render: (pool, node) => renderer.render(pool, factsIn(pool, node)) }
}

function renderedBy(
  renderer: Renderer,
  { node, owner }: { readonly node: NodeFacts; readonly owner: Ownership },
): RenderedNode | undefined {
  const rendered = owner.kind === 'owned' ? renderer.render(owner.pool, node) : undefined
  return rendered?.ok ? rendered : undefined
}

/** What pools have completed before is known to the cluster alone: a revert may be shown as held although it will not be. */
function blastStep({ node, ownerBefore, before, owner }: Owned, after: Renderer): BlastStep[] {
  const poolBefore = ownerBefore.kind === 'owned' ? ownerBefore.pool : undefined
  const poolAfter = owner.kind === 'owned' ? owner.pool : undefined
  if (poolBefore === undefined && poolAfter === undefined) return []
  return [{ poolBefore, poolAfter, before, after: renderedBy(after, { node, owner }), returns: false }]
}

function sorted(names: Iterable<string>): string[] {
  return [...names].sort()
}

import type { NodeContent } from '../../protocol/digest.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import { factsFor } from '../cache/rendered-from.ts'
import type { CompiledFleet, CompiledPool, Rendered } from '../fleet/compiled-fleet.ts'
import type { PoolRenderer } from '../fleet/pool-renderer.ts'
import { runningContent } from '../snapshot/node-targets.ts'
import { inSlices, type Turns } from './in-slices.ts'

export interface ChangingNode {
  readonly node: ClusterNode
  /** Of what it is to run. */
  readonly digest: string
}

export interface NodeContents {
  /** Undefined: what it runs is not known, or not managed yet. */
  readonly before: NodeContent | undefined
  readonly after: NodeContent
}

export interface ChangeSources {
  readonly pool: CompiledPool
  /** Of the pool at that commit. */
  readonly nodes: readonly ClusterNode[]
  /** Commits at which to look for what nodes run now. */
  readonly revisions: ReadonlyMap<string, CompiledFleet>
  /** Remembers the commits in use. */
  readonly renderer: PoolRenderer
}

export interface Changing {
  readonly changing: readonly ChangingNode[]
  /** They would change, and are left alone. */
  readonly left: number
  readonly problems: readonly { readonly node: string; readonly message: string }[]
  /** Rendered again: contents of thousands of nodes, each with its own, would fill the memory. */
  readonly contentsOf: (node: ClusterNode) => NodeContents
}

export async function changingNodes(sources: ChangeSources, turns: Turns): Promise<Changing> {
  const render = renderOf(sources)
  const problems: { readonly node: string; readonly message: string }[] = []
  const others: ChangingNode[] = []
  const look = (node: ClusterNode) => {
    const after = render(node)
    if (after.kind === 'problem') problems.push({ node: node.name, message: after.message })
    else if (node.view.assigned?.digest !== after.digest) others.push({ node, digest: after.digest })
  }
  await inSlices(sources.nodes, look, turns)
  const changing = others.filter(({ node: { view } }) => view.hold === undefined && !view.assignedByHand && !view.leaving)
  const contentsOf = (node: ClusterNode) => ({
    before: runningContent(node, node.current, sources),
    after: contentOf(render(node)),
  })
  return { changing, left: others.length - changing.length, problems, contentsOf }
}

/** What a commit that is not in use becomes is not remembered: the memory of the passes is for those that are. */
function renderOf({ pool, revisions, renderer }: ChangeSources): (node: ClusterNode) => Rendered {
  const isInUse = [...revisions.values()].some((fleet) => fleet.pools.get(pool.name) === pool)
  return isInUse ? renderer.renderOf(pool) : (node) => pool.render(factsFor(node, pool))
}

function contentOf(rendered: Rendered): NodeContent {
  return rendered.kind === 'config' ? rendered.content : {}
}

import type { KubeApi } from '../../kube/kube-api.ts'
import type { Names } from '../../protocol/names.ts'
import type { ClusterCache } from './cluster-cache.ts'
import type { ClusterNode } from './cluster-node.ts'
import { refreshNamed } from './refresh-named.ts'

interface Sources {
  readonly kube: Pick<KubeApi, 'list'>
  readonly cluster: Pick<ClusterCache, 'nodes' | 'readNode'>
}

type Selector = { readonly labelSelector?: string; readonly fieldSelector?: string }

/** Of more nodes than that, one list of all costs less than a list for each. */
const FEW = 10

/**
 * Reads the nodes of a pool from the API server, as the label says it: each node that was assigned something there has it. The watch may be
 * behind, perhaps for long. Known nodes that the list does not name are read as well: they are gone, or lack the label.
 * @returns whether any of them is another than it was known as, by these reads or by what the watch told meanwhile
 * @throws {KubeError} when they cannot be read
 */
export async function refreshPool(pool: string, { pool: label }: Pick<Names, 'pool'>, sources: Sources): Promise<boolean> {
  const { nodes } = sources.cluster
  const before = nodesOf(pool, nodes)
  const { items: listed } = await listNodes({ labelSelector: selectorOf(pool, label, before) }, sources)
  await nodes.catchUp(async () => listed)
  const names = new Set(listed.map(({ name }) => name))
  const unlisted = nodesOf(pool, nodes).flatMap(({ name }) => (names.has(name) ? [] : name))
  if (unlisted.length > FEW) await refresh(unlisted, {}, sources)
  else for (const name of unlisted) await refreshNode(name, sources)
  return !isSame(before, nodesOf(pool, nodes))
}

/** Of many that a label took to other pools, and that still have what this pool assigned, the lists of those pools have the rest. */
function selectorOf(pool: string, label: string, nodes: readonly ClusterNode[]): string {
  const others = nodes.flatMap(({ poolLabel = pool }) => (poolLabel === pool ? [] : poolLabel))
  const pools = [...new Set(others)]
  return others.length > FEW && pools.length <= FEW ? `${label} in (${[pool, ...pools].join(',')})` : `${label}=${pool}`
}

/** Also those that have lost the label, or whose label somebody changed. */
function nodesOf(pool: string, nodes: ClusterCache['nodes']): readonly ClusterNode[] {
  return [...nodes.items.values()].filter(({ poolLabel, view }) => poolLabel === pool || view.assigned?.pool === pool)
}

/** The cache keeps their order, and the view of one of which only the version has changed. */
function isSame(before: readonly ClusterNode[], after: readonly ClusterNode[]): boolean {
  return before.length === after.length && before.every(({ view }, index) => view === after[index]?.view)
}

/**
 * The same for one node.
 * @throws {KubeError} when it cannot be read
 */
export async function refreshNode(name: string, sources: Sources): Promise<void> {
  await refresh([name], { fieldSelector: `metadata.name=${name}` }, sources)
}

/** @param names of nodes that are gone, though the watch has not told so yet, when they are not found */
async function refresh(names: readonly string[], selector: Selector, sources: Sources): Promise<void> {
  await refreshNamed(sources.cluster.nodes, names, () => listNodes(selector, sources))
}

function listNodes(selector: Selector, { kube, cluster: { readNode } }: Sources) {
  return kube.list('/api/v1/nodes', { project: readNode, ...selector })
}

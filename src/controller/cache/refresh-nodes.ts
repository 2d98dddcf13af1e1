import type { KubeApi } from '../../kube/kube-api.ts'
import type { Names } from '../../protocol/names.ts'
import type { ClusterCache } from './cluster-cache.ts'
import type { ClusterNode } from './cluster-node.ts'

interface Sources {
  readonly kube: Pick<KubeApi, 'list'>
  readonly cluster: Pick<ClusterCache, 'nodes' | 'readNode'>
}

type Selector = { readonly labelSelector: string } | { readonly fieldSelector: string }

/**
 * Reads the nodes of a pool from the API server, as the label says it: each node that was assigned something there has it. The watch may be
 * behind, perhaps for long. Known nodes that the list does not name are read one by one: they are gone, or lost the label.
 * @returns whether any of them is another than it was known as, by these reads or by what the watch told meanwhile
 * @throws {KubeError} when they cannot be read
 */
export async function refreshPool(pool: string, { pool: label }: Pick<Names, 'pool'>, sources: Sources): Promise<boolean> {
  const { nodes } = sources.cluster
  const before = labelled(pool, nodes)
  const listed = await listNodes({ labelSelector: `${label}=${pool}` }, sources)
  const isNews = await nodes.catchUp(async () => listed)
  const names = new Set(listed.map(({ name }) => name))
  for (const node of labelled(pool, nodes)) if (!names.has(node.name)) await refreshNode(node, sources)
  return isNews || !isSame(before, labelled(pool, nodes))
}

function labelled(pool: string, nodes: ClusterCache['nodes']): readonly ClusterNode[] {
  return [...nodes.items.values()].filter(({ poolLabel }) => poolLabel === pool)
}

/** The cache keeps their order, and the view of one of which only the version has changed. */
function isSame(before: readonly ClusterNode[], after: readonly ClusterNode[]): boolean {
  return before.length === after.length && before.every(({ view }, index) => view === after[index]?.view)
}

/**
 * The same for one node, as it is known. What the server has no more is gone, though the watch has not told so yet.
 * @throws {KubeError} when it cannot be read
 */
export async function refreshNode(known: Pick<ClusterNode, 'name' | 'resourceVersion'>, sources: Sources): Promise<void> {
  const { nodes } = sources.cluster
  const found = await listNodes({ fieldSelector: `metadata.name=${known.name}` }, sources)
  await nodes.catchUp(async () => found)
  if (found.length === 0) nodes.deleted(known)
}

async function listNodes(selector: Selector, { kube, cluster: { readNode } }: Sources): Promise<readonly ClusterNode[]> {
  return (await kube.list('/api/v1/nodes', { project: readNode, ...selector })).items
}

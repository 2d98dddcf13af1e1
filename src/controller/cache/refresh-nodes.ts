import type { KubeApi } from '../../kube/kube-api.ts'
import type { Names } from '../../protocol/names.ts'
import type { ClusterCache } from './cluster-cache.ts'

interface Sources {
  readonly kube: Pick<KubeApi, 'list'>
  readonly cluster: Pick<ClusterCache, 'nodes' | 'readNode'>
}

type Selector = { readonly labelSelector: string } | { readonly fieldSelector: string }

/**
 * Reads nodes from the API server: the watch may be behind, perhaps for long.
 * @returns whether any of them is another than the watch has shown
 * @throws {KubeError} when they cannot be read
 */
export function refreshNodes(selector: Selector, { kube, cluster: { nodes, readNode } }: Sources): Promise<boolean> {
  return nodes.catchUp(async () => (await kube.list('/api/v1/nodes', { project: readNode, ...selector })).items)
}

/** Nodes of a pool, as the label says it: each node that was assigned something there has it. */
export function refreshPool(pool: string, { pool: label }: Pick<Names, 'pool'>, sources: Sources): Promise<boolean> {
  return refreshNodes({ labelSelector: `${label}=${pool}` }, sources)
}

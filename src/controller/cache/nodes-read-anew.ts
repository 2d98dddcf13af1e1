import type { KubeApi } from '../../kube/kube-api.ts'
import type { Names } from '../../protocol/names.ts'
import type { ClusterCache } from './cluster-cache.ts'

const NODES = '/api/v1/nodes'

interface Sources {
  readonly kube: Pick<KubeApi, 'list'>
  readonly cluster: Pick<ClusterCache, 'nodes' | 'readNode'>
  readonly settings: { readonly names: Names }
}

/**
 * Reads the nodes of a pool, as the label says it: each node that was assigned something there has it.
 * @returns whether any of them is another than the watch has shown
 * @throws {KubeError} when they cannot be read
 */
export function nodesReadAnew(
  pool: string,
  { kube, cluster: { nodes, readNode }, settings: { names } }: Sources,
): Promise<boolean> {
  const options = { project: readNode, labelSelector: `${names.pool}=${pool}` }
  return nodes.catchUp(async () => (await kube.list(NODES, options)).items)
}

import { type KubeApi, KubeError, type KubeObject } from '../../kube/kube-api.ts'
import type { Names } from '../../protocol/names.ts'
import type { ClusterCache } from '../cache/cluster-cache.ts'
import { refreshNode } from '../cache/refresh-nodes.ts'
import type { Log } from '../log/log.ts'
import { uncordonPatch } from './node-patch.ts'

/** Attempts. */
const MOST = 5

interface Sources {
  readonly kube: KubeApi
  readonly cluster: Pick<ClusterCache, 'nodes' | 'readNode'>
  readonly settings: { readonly names: Names }
  readonly log: Log
}

/**
 * Lifts a cordon of ours whose mark the API server does not keep: it would count as somebody else's, and stay for ever. Others write to a node that
 * was cordoned a moment ago: Kubernetes adds a taint to it.
 */
export async function liftUnmarked(node: string, sources: Sources): Promise<void> {
  try {
    for (let attempt = 1; !(await liftOnce(node, sources)); attempt += 1) {
      if (attempt === MOST) throw new Error(`others wrote to the node each of ${MOST} times`)
      await refreshNode(node, sources)
    }
  } catch (error) {
    sources.log('warn', `uncordon "${node}", whose mark the API server does not keep: ${(error as Error).message}`)
  }
}

/** @returns false when another has written to the node meanwhile */
async function liftOnce(name: string, { kube, cluster, settings: { names } }: Sources): Promise<boolean> {
  const node = cluster.nodes.get(name)
  if (!node?.view.unschedulable || node.view.mark !== undefined) return true
  const body = uncordonPatch({ kind: 'uncordon', node: name, lifts: true }, { names, resourceVersion: node.resourceVersion })
  try {
    cluster.nodes.wrote(cluster.readNode(await kube.patch<KubeObject>(`/api/v1/nodes/${name}`, body)))
    return true
  } catch (error) {
    if (error instanceof KubeError && error.reaction === 'conflict') return false
    throw error
  }
}

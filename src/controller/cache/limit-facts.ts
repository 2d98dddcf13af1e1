import type { KubeObject } from '../../kube/kube-api.ts'
import { isSameData } from '../../protocol/same-data.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import type { ClusterNode } from './cluster-node.ts'

/** Milliseconds. */
const WINDOW = 600_000
/** Changes within the window that are followed: people and machines make a few in a node's life. */
const MOST = 10

export interface FactLimit {
  /** What is kept of the node so far. */
  readonly known: (name: string) => ClusterNode | undefined
  readonly now: () => Instant
}

/**
 * A kubelet says what its machine is, and sets most labels of its Node; configuration is rendered from both, and each rendering is a ConfigMap.
 * Of a node that changes them all the time, what was known before is kept until it has been quiet for a while.
 */
export function limitFacts(
  project: (object: KubeObject, before?: ClusterNode) => ClusterNode,
  { known, now }: FactLimit,
): (object: KubeObject) => ClusterNode {
  return (object) => {
    const before = known(object.metadata.name)
    const node = project(object, before)
    return before === undefined ? node : bounded(before, node, now())
  }
}

/**
 * Pure: the node as it is, or with the facts of before when they have changed too often. The label of its pool is as it is: nothing is rendered from
 * it, and the controller would write it again though it is there.
 */
export function bounded(before: ClusterNode, node: ClusterNode, now: Instant): ClusterNode {
  const { factChanges = [] } = before
  if (before.view.createdAt !== node.view.createdAt) return node
  if (isSameData(before.facts, node.facts)) return factChanges.length === 0 ? node : { ...node, factChanges }
  const recent = factChanges.filter((at) => at > now - WINDOW && at <= now)
  if (recent.length < MOST) return { ...node, factChanges: [...recent, now] }
  const { labels, zone } = before.view
  return { ...node, facts: before.facts, view: { ...node.view, labels, zone }, factChanges }
}

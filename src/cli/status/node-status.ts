import { projectNode } from '../../controller/cache/cluster-node.ts'
import type { KubeObject } from '../../kube/kube-api.ts'
import type { Names } from '../../protocol/names.ts'
import { tableLines } from '../paint.ts'
import { printable } from '../printable.ts'
import { nodeFacts } from './node-facts.ts'
import type { PoolStatusView } from './pool-view.ts'

/** A node as people ask about it. */
export interface NodeStatusView {
  readonly node: string
  readonly pool?: string
  /** It is Ready, and its agent has applied what it was assigned. */
  readonly well: boolean
  readonly facts: Readonly<Record<string, string>>
}

export function nodeSight(
  object: KubeObject,
  { names, pools }: { readonly names: Names; readonly pools: readonly PoolStatusView[] },
): NodeStatusView {
  const node = projectNode(names)(object)
  const { view, poolLabel, name } = node
  const failed = pools.flatMap((pool) => pool.status.failed ?? []).find((candidate) => candidate.node === name)
  const well = view.ready && view.hold === undefined && view.status?.phase === 'Applied' && failed === undefined
  return { node: name, ...(poolLabel !== undefined && { pool: poolLabel }), well, facts: nodeFacts(node, failed) }
}

export function nodeStatusLines({ node, facts }: NodeStatusView): string[] {
  const rows = Object.entries(facts).map(([key, value]) => [key, printable(value)])
  return tableLines([['node', node], ...rows])
}

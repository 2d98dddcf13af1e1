import { isAtWork, reportOf } from '../model/agent-report.ts'
import { isOurCordon } from '../model/cordon.ts'
import type { Action } from '../model/decision.ts'
import type { NodeView } from '../model/node-view.ts'

/** Nodes that belong to no pool any more: nobody would decide about a cordon of ours on them, and it would stay for ever. */
export function uncordonStrays(nodes: readonly NodeView[]): Action[] {
  return nodes
    .filter((node) => node.mark !== undefined && !node.leaving && !isAtWork(node, reportOf(node)))
    .map((node) => ({ kind: 'uncordon', node: node.name, lifts: isOurCordon(node) }))
}

const NONE: ReadonlyMap<string, readonly string[]> = new Map()

/**
 * Nodes that stay cordoned because their agents have not ended the work, and that no pool decides about. The pool that assigned it
 * tells of them; where that is gone, the first one does.
 */
export function strayCordons(
  strays: readonly NodeView[],
  pools: readonly { readonly name: string }[],
): ReadonlyMap<string, readonly string[]> {
  if (strays.length === 0) return NONE
  const names = pools.map(({ name }) => name).sort()
  const left = strays.filter((node) => isOurCordon(node) && isAtWork(node, reportOf(node)))
  const byPool = Map.groupBy(left, ({ assigned }) => names.find((name) => name === assigned?.pool) ?? names[0] ?? '')
  return new Map([...byPool].map(([pool, nodes]) => [pool, nodes.map(({ name }) => name).sort()]))
}

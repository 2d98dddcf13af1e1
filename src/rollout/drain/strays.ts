import { isAtWork, reportOf } from '../model/agent-report.ts'
import type { Action } from '../model/decision.ts'
import type { NodeView } from '../model/node-view.ts'
import { isOurCordon } from './cordon.ts'

/** Nodes that belong to no pool any more: nobody would decide about a cordon of ours on them, and it would stay for ever. */
export function uncordonStrays(nodes: readonly NodeView[]): Action[] {
  return nodes
    .filter((node) => node.mark !== undefined && !isAtWork(node, reportOf(node)))
    .map((node) => ({ kind: 'uncordon', node: node.name, lifts: isOurCordon(node) }))
}

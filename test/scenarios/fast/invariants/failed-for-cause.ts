import type { NodeView } from '../../../../src/rollout/model/node-view.ts'
import type { Invariant } from '../invariants.ts'
import { stampOf } from '../stamp.ts'
import { type Decided, decidedPools, hasEnded } from './steps.ts'

const MINUTE = 60_000

/** Who repairs a node goes by its reason: docs/rollouts.md, under "When a node has failed". */
export const failedForCause: Invariant = {
  claim: 'no node is said to be silent, late, not Ready or not restored that is none of that, or is not yet',
  ofDecision: (observed) => decidedPools(observed).every(namesCauses),
}

function namesCauses(decided: Decided): boolean {
  return decided.decision.status.failed.every(({ node: name, reason }) => {
    const node = decided.pool.nodes.find((each) => each.name === name)
    return node === undefined || isSo(reason, node, decided)
  })
}

function isSo(reason: string, node: NodeView, decided: Decided): boolean {
  const { applyTimeout, agentTimeout = applyTimeout } = decided.pool.policy
  if (reason === 'AgentSilent') return !speaks(node) && isPast(agentTimeout, node, decided)
  if (reason === 'ApplyTimeout') return !hasEnded(node) && isPast(applyTimeout, node, decided)
  if (reason === 'NotReady') return !node.ready && (hasGivenUp(node) || isDownForLong(node, decided))
  return reason !== 'NotRestored' || hasGivenUp(node)
}

function speaks({ assigned, status }: NodeView): boolean {
  return assigned !== undefined && status?.assignedAt === stampOf(assigned)
}

function hasGivenUp(node: NodeView): boolean {
  return speaks(node) && (node.status?.phase === 'Failed' || node.status?.phase === 'RolledBack')
}

/** How long ago a clock that was ahead assigned it, nobody knows. */
function isPast(timeout: number, { assigned }: NodeView, { at }: Decided): boolean {
  const began = assigned?.at ?? 0
  return began > at || at >= began + timeout
}

/** In a soak a minute is long. A node whose work is overdue, or that is repaired after its rollout, needs to be down for no time. */
function isDownForLong(node: NodeView, decided: Decided): boolean {
  const isOverdue = !hasEnded(node) && isPast(decided.pool.policy.applyTimeout, node, decided)
  const isOver = decided.decision.status.history[0]?.result !== 'Running'
  return isOver || isOverdue || node.readySince > decided.at || decided.at >= node.readySince + MINUTE
}

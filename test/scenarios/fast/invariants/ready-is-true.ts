import type { NodeView } from '../../../../src/rollout/model/node-view.ts'
import { runs } from '../content.ts'
import type { Invariant } from '../invariants.ts'
import { type Decided, decidedPools, hasEnded } from './steps.ts'

/** Who waits for Ready takes it that the commit is out. */
export const readyIsTrue: Invariant = {
  claim:
    'a pool that says Ready has every node at the content of the newest commit, but for those that are down, or that a person or a timeout set aside',
  ofDecision: (observed) => decidedPools(observed).every((decided) => !saysReady(decided) || isOut(decided)),
}

function saysReady({ decision: { status } }: Decided): boolean {
  return status.conditions.some(({ type, status: holds }) => type === 'Ready' && holds === 'True')
}

function isOut({ pool: { nodes, head } }: Decided): boolean {
  return nodes.every((node) => isExcused(node) || isAt(node, head.fingerprint))
}

function isAt(node: NodeView, fingerprint: string): boolean {
  return hasEnded(node) && node.status?.phase === 'Applied' && runs(node.status.active, { fingerprint, labels: node.labels })
}

/** A mark without a cordon: its drain took too long, or a person has just uncordoned it. */
function isExcused({ ready, hold, leaving, unschedulable, mark }: NodeView): boolean {
  return !ready || hold !== undefined || leaving === true || unschedulable || mark !== undefined
}

import type { NodeView } from '../../../../src/rollout/model/node-view.ts'
import type { Invariant } from '../invariants.ts'
import { stampOf } from '../stamp.ts'
import { type Decided, decidedPools } from './steps.ts'

export const pressureLasts: Invariant = {
  claim: 'a node that came under pressure in its soak stays failed for as long as that lasts',
  ofDecision: (observed) => decidedPools(observed).every(staysFailed),
}

function staysFailed({ pool: { memory, nodes }, decision: { status } }: Decided): boolean {
  const [before, after] = [memory.history[0], status.history[0]]
  if (before?.startedAt !== after?.startedAt || after?.result !== 'Running') return true
  if (memory.target?.revision !== status.target?.revision) return true
  return memory.failed.every(({ node: name, reason }) => {
    const node = nodes.find((each) => each.name === name)
    return !node || !isPressedStill(node, reason) || status.failed.some((each) => each.node === name)
  })
}

/** Since its present assignment, which it has ended, and nothing else has come of it. Whether it is Ready does not matter. */
function isPressedStill({ hold, leaving, mark, assigned, status, pressures = [] }: NodeView, reason: string): boolean {
  if (hold !== undefined || leaving || mark || !assigned || status?.phase !== 'Applied') return false
  if (status.assignedAt !== stampOf(assigned) || assigned.digest !== status.assigned) return false
  return pressures.some(({ type, since }) => type === reason && since >= (assigned.at ?? 0))
}

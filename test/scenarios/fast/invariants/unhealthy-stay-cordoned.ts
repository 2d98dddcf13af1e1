import type { Action } from '../../../../src/rollout/model/decision.ts'
import type { Invariant } from '../invariants.ts'
import { doesNotServe } from '../when-assigned.ts'
import { type Decided, decidedPools } from './steps.ts'

type Uncordon = Extract<Action, { kind: 'uncordon' }>

export const unhealthyStayCordoned: Invariant = {
  claim: 'a node that we cordoned stays so while no pod runs on it, while it is not Ready, and while it is being deleted',
  ofDecision: (observed) =>
    decidedPools(observed).every((decided) => liftedIn(decided).every((uncordon) => isHealthy(uncordon, decided))),
}

function liftedIn({ decision: { actions } }: Decided): Uncordon[] {
  return actions.filter((action) => action.kind === 'uncordon').filter(({ lifts }) => lifts)
}

/** `onTimeout: Skip` leaves a node as it was before its drain. A person who holds a node that is not Ready has it uncordoned. */
function isHealthy({ node: name, mark }: Uncordon, { pool: { nodes } }: Decided): boolean {
  const node = nodes.find((each) => each.name === name)
  if (!node || node.leaving) return false
  return mark?.state === 'Skipped' || (!doesNotServe(node) && (node.ready || node.hold !== undefined))
}

import type { Action } from '../../../../src/rollout/model/decision.ts'
import type { Invariant } from '../invariants.ts'
import { doesNotServe } from '../sim-node.ts'
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

/** A node that is not Ready is uncordoned when a person holds it, or its drain is given up by `onTimeout: Skip`. */
function isHealthy({ node: name, mark }: Uncordon, { pool: { nodes } }: Decided): boolean {
  const node = nodes.find((each) => each.name === name)
  if (!node || node.leaving || doesNotServe(node)) return false
  return node.ready || node.hold !== undefined || mark?.state === 'Skipped'
}

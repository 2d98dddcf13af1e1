import type { NodeView } from '../../../../src/rollout/model/node-view.ts'
import type { Observed } from '../controller.ts'
import type { Invariant } from '../invariants.ts'
import { type Decided, decidedPools, hasEnded, isDown, newlyDown } from './steps.ts'

/** The table of docs/rollouts.md, under "The budget of the fleet": its rows 3 and 4, of nodes that serve. */
export const budgetOrder: Invariant = {
  claim:
    'while a pool that goes back waits for the budget of the fleet, none that goes forward gets a place; of pools that go the same way, none gets two while another one waits for its first',
  ofDecision: (observed) => observed.fleet.policy.maxUnavailable === undefined || sharesPlaces(observed),
}

function sharesPlaces(observed: Observed): boolean {
  const decided = decidedPools(observed)
  const waiting = decided.filter(waitsForFleet)
  if (waiting.length === 0) return true
  const backWaits = waiting.some((each) => wayOf(each) === 'Back')
  return decided.every((each) => {
    const way = wayOf(each)
    const places = placesOf(each)
    if (way === 'Forward' && backWaits && places > 0) return false
    return places < 2 || waiting.every((other) => wayOf(other) !== way)
  })
}

/** None of its nodes is down: its own budget has a place for each that it would change first, and nothing but the fleet keeps it. */
export function waitsForFleet(decided: Decided): boolean {
  return waitsForBudget(decided) && newlyDown(decided).length === 0 && !decided.pool.nodes.some(isDown)
}

export function waitsForBudget({ decision: { status } }: Decided): boolean {
  return status.conditions.some(({ reason }) => reason === 'WaitingForBudget')
}

/** Of a pool that has completed its target the table says nothing, but for one that the failure of the newest commit has brought there. */
export function wayOf({ pool: { head }, decision: { status } }: Decided): 'Back' | 'Forward' | undefined {
  const { history, target, stable, rollback, rejected } = status
  const [run, ...before] = history
  if (rollback !== undefined) return 'Back'
  const hasFailed = rejected.some(({ fingerprint }) => fingerprint === head.fingerprint)
  if (run?.result === 'Completed') return hasFailed ? 'Back' : undefined
  const completed = before.find(({ fingerprint, result }) => fingerprint === target?.fingerprint && result === 'Completed')
  const isReturn = target?.fingerprint === stable?.fingerprint || (completed !== undefined && !completed.abandoned)
  return isReturn ? 'Back' : 'Forward'
}

/** Of nodes that a rollout has broken, and those whose agents ask for more, other rows say. */
export function placesOf(decided: Decided): number {
  return newlyDown(decided).filter(({ node }) => isSound(node)).length
}

function isSound({ assigned, status, ...node }: NodeView): boolean {
  return assigned === undefined || (hasEnded({ ...node, assigned, status }) && status?.phase === 'Applied')
}

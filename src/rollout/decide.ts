import { assessPool } from './assess-pool.ts'
import type { AssessedPool } from './assessed-pool.ts'
import { byHandChanges } from './controls/by-hand.ts'
import { endedRequests } from './controls/reboot-requests.ts'
import { spentControls } from './controls/spent-controls.ts'
import { evictions, uncordons, updatedCordonMarks } from './drain/actions.ts'
import { arbitrate, NOTHING_GRANTED } from './fleet/arbiter.ts'
import type { PoolClaim } from './fleet/pool-claim.ts'
import { gateQuestions } from './gates/gates.ts'
import { isAtWork } from './model/agent-report.ts'
import type { Action, Decision } from './model/decision.ts'
import type { PoolGrant } from './model/grant.ts'
import type { Instant } from './model/instant.ts'
import { isBeingProved } from './model/proof.ts'
import { type Memory, type PoolSnapshot, withMemory } from './model/snapshot.ts'
import { advance } from './progress/advance.ts'
import { proofActions } from './proof/actions.ts'
import { budgetHolders } from './selection/budget-holders.ts'
import { propose } from './selection/propose.ts'
import { select } from './selection/select.ts'
import { eventsBetween } from './status/pool-events.ts'
import { failedNodes, statusOf } from './status/status.ts'
import { wakeAt } from './wake.ts'

/** How a pool stands, and what it asks for. */
export interface Assessment extends PoolClaim {
  readonly state: AssessedPool
  /** When time alone changes it. */
  readonly wakeAt: Instant | undefined
}

/**
 * What to do about a pool now, if it is the only one. The same snapshot gives the same decision; its status given back as memory,
 * it is the same again.
 */
export function decide(pool: PoolSnapshot, now: Instant): Decision {
  const assessment = assess(pool, now)
  const grant = arbitrate([assessment.proposal]).get(pool.name) ?? NOTHING_GRANTED
  return conclude(assessment, grant, now)
}

/**
 * What the pool would do if nothing but its own budget counted.
 * @param last the last assessment of the same pool; it makes no difference but to the cost
 */
export function assess(pool: PoolSnapshot, now: Instant, last?: Assessment): Assessment {
  const state = settle(pool, now, last?.state)
  const proposal = propose(state)
  const holders = budgetHolders(state)
  return {
    pool,
    state,
    memory: withFailed(state.rollout.memory, state),
    proposal,
    holders: holders.map(({ node }) => node),
    isPaused: proposal.blocker?.reason === 'Paused' && holders.some(({ isEligible }) => isEligible),
    isWorking: state.notAtRest.some(({ node, report }) => isAtWork(node, report) || isBeingProved(node, report)),
    wakeAt: wakeAt(state, proposal),
  }
}

function withFailed(memory: Memory, { notAtRest }: AssessedPool): Memory {
  const failed = failedNodes(notAtRest)
  return failed.length + memory.failed.length === 0 ? memory : { ...memory, failed }
}

/** Assesses again for as long as the rollout advances: a rejection changes the target, a new wave who is eligible. */
function settle(pool: PoolSnapshot, now: Instant, last: AssessedPool | undefined): AssessedPool {
  const state = assessPool(pool, now, last)
  const memory = advance(state)
  return memory ? settle(withMemory(pool, withFailed(memory, state)), now, state) : state
}

/** Of most pools, all lists of actions are empty: to join those would be an eighth of its cost. */
function joined(lists: readonly (readonly Action[])[]): readonly Action[] {
  const [first = [], ...others] = lists.filter(({ length }) => length > 0)
  return others.length === 0 ? first : first.concat(...others)
}

/** The decision, once it is known what the pool may do of what it asked for. */
export function conclude({ pool, state: assessed, proposal, wakeAt }: Assessment, grant: PoolGrant, now: Instant): Decision {
  const state = { ...assessed, now }
  const selection = select(proposal, grant, now)
  const status = statusOf(state, selection)
  return {
    actions: joined([
      uncordons(state),
      updatedCordonMarks(state),
      selection.selected,
      evictions(state),
      gateQuestions(state),
      proofActions(state, selection.selected),
      spentControls(pool),
      byHandChanges(pool),
      endedRequests(state.notAtRest.map(({ node }) => node)),
    ]),
    events: eventsBetween(pool.memory, status),
    status,
    wakeAt,
  }
}

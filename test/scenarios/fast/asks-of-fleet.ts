import { expect } from 'vitest'
import type { FleetPolicy } from '../../../src/rollout/decide-fleet.ts'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import type { Action, Decision } from '../../../src/rollout/model/decision.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { noon } from '../../rollout/builders/instants.ts'
import type { Invariant } from './invariants.ts'

/** A pool that selects its first nodes, or waits for the budget of the fleet. */
export interface Asks {
  readonly pool: PoolSnapshot
  readonly selects?: number
}

export function named(name: string, pool: PoolSnapshot, selects?: number): Asks {
  return { pool: { ...pool, name }, ...(selects !== undefined && { selects }) }
}

/** Whether the claim holds when the fleet shares its budget so, whatever it would decide. */
export function holdsWhere(
  { ofDecision }: Invariant,
  asks: readonly Asks[],
  policy: FleetPolicy = { maxUnavailable: { count: 3 } },
): boolean | undefined {
  const fleet = { pools: asks.map(({ pool }) => pool), policy, controls: {} }
  const decided = decideFleet(fleet, noon)
  const decisions = new Map(asks.map((each) => [each.pool.name, done(decided.get(each.pool.name) ?? expect.fail(), each)]))
  return ofDecision?.({ fleet, at: noon, decisions, isNews: true, held: new Set() })
}

function done({ status, ...decision }: Decision, { pool, selects = 0 }: Asks): Decision {
  const actions = pool.nodes.slice(0, selects).map(assign)
  const reason = selects > 0 ? ('RollingOut' as const) : ('WaitingForBudget' as const)
  return {
    ...decision,
    actions,
    status: { ...status, conditions: status.conditions.map((condition) => ({ ...condition, reason })) },
  }
}

function assign({ name: node }: NodeView): Action {
  return { kind: 'assign', node, revision: 'new', digest: 'new', grant: 'restart', at: noon }
}

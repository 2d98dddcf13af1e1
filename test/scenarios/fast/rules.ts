import type { FleetPolicy } from '../../../src/rollout/decide-fleet.ts'
import type { RolloutPolicy } from '../../../src/rollout/model/policy.ts'
import type { Random } from '../random.ts'
import { budget } from './rules/budget.ts'
import { cordoned } from './rules/cordoned.ts'
import { dependenciesFor } from './rules/dependencies.ts'
import { drain } from './rules/drain.ts'
import { failures } from './rules/failures.ts'
import { fleetBudget } from './rules/fleet-budget.ts'
import { fleetFailures } from './rules/fleet-failures.ts'
import { waves } from './rules/waves.ts'
import { windows } from './rules/windows.ts'

/** How a drawn fleet is rolled. */
export interface FleetRules {
  /** A commit may change them. */
  readonly pools: Map<string, RolloutPolicy>
  readonly fleet: FleetPolicy
}

/** What a rule of the language is set to in one story. Each rule is one file in `rules/`, and stands in a list below. */
export type DrawPoolRule = (random: Random) => Partial<RolloutPolicy>
export type DrawFleetRule = (random: Random) => Partial<FleetPolicy>

const POOL_RULES: readonly DrawPoolRule[] = [waves, budget, failures, windows, cordoned, drain]
const FLEET_RULES: readonly DrawFleetRule[] = [fleetBudget, fleetFailures]
const NAMES = ['control-plane', 'gpu', 'workers']

/** What every pool has that no rule sets. */
const BASE: RolloutPolicy = {
  waves: [],
  maxUnavailable: { count: 1 },
  maxFailures: { count: 0 },
  onFailure: 'Halt',
  drain: { mode: 'Auto', timeout: 15 * 60_000, onTimeout: 'Wait', deleteEmptyDirData: false, force: false },
  zones: 'Any',
  cordoned: 'Skip',
  applyTimeout: 10 * 60_000,
  windows: [],
  rollbackOutsideWindows: true,
}

export function drawRules(random: Random): FleetRules {
  const names = NAMES.slice(0, 1 + random.below(NAMES.length))
  const fleet = drawAll<FleetPolicy>(FLEET_RULES, random, {})
  const pools = names.map((name, index): [string, RolloutPolicy] => {
    return [name, drawAll([...POOL_RULES, dependenciesFor(names.slice(0, index))], random, BASE)]
  })
  return { pools: new Map(pools), fleet }
}

/** For the story of a failure. */
export function describeRules({ pools, fleet }: FleetRules): string {
  return [`fleet: ${JSON.stringify(fleet)}`, ...[...pools].map(([name, policy]) => `${name}: ${JSON.stringify(policy)}`)].join(
    '\n',
  )
}

function drawAll<T extends object>(rules: readonly ((random: Random) => Partial<T>)[], random: Random, base: T): T {
  return Object.assign({}, base, ...rules.map((rule) => rule(random)))
}

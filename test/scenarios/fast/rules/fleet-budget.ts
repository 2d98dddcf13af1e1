import type { Random } from '../../random.ts'
import type { FleetRules } from '../rules.ts'

export function fleetBudget(random: Random): Partial<FleetRules> {
  return random.pick([
    {},
    { maxUnavailable: { count: 1 } },
    { maxUnavailable: { count: 3 } },
    { maxUnavailable: { percent: 20 } },
  ])
}

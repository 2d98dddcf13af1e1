import type { FleetPolicy } from '../../../../src/rollout/decide-fleet.ts'
import type { Random } from '../../random.ts'

export function fleetBudget(random: Random): Partial<FleetPolicy> {
  return random.pick([
    {},
    { maxUnavailable: { count: 1 } },
    { maxUnavailable: { count: 3 } },
    { maxUnavailable: { percent: 20 } },
  ])
}

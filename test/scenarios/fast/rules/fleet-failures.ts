import type { FleetPolicy } from '../../../../src/rollout/decide-fleet.ts'
import type { Random } from '../../random.ts'

export function fleetFailures(random: Random): Partial<FleetPolicy> {
  return random.pick([{}, {}, { maxFailures: { count: 0 } }, { maxFailures: { count: 2 } }, { maxFailures: { percent: 30 } }])
}

import type { RolloutPolicy } from '../../../../src/rollout/model/policy.ts'
import type { Random } from '../../random.ts'

const MINUTE = 60_000

export function timeouts(random: Random): Partial<RolloutPolicy> {
  return { applyTimeout: random.pick([4 * MINUTE, 10 * MINUTE, 20 * MINUTE]) }
}

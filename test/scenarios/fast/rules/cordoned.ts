import type { RolloutPolicy } from '../../../../src/rollout/model/policy.ts'
import type { Random } from '../../random.ts'

export function cordoned(random: Random): Partial<RolloutPolicy> {
  return { cordoned: random.pick(['Skip', 'Change']), zones: random.pick(['Any', 'OneAtATime']) }
}

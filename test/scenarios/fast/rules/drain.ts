import type { RolloutPolicy } from '../../../../src/rollout/model/policy.ts'
import type { Random } from '../../random.ts'

export function drain(random: Random): Partial<RolloutPolicy> {
  return {
    drain: {
      mode: random.pick(['Auto', 'Auto', 'Always', 'Never']),
      timeout: random.pick([60_000, 15 * 60_000]),
      onTimeout: random.pick(['Wait', 'Proceed', 'Skip']),
      deleteEmptyDirData: false,
      force: random.chance(0.5),
    },
  }
}

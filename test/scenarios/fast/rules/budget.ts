import type { RolloutPolicy } from '../../../../src/rollout/model/policy.ts'
import type { Random } from '../../random.ts'

export function budget(random: Random): Partial<RolloutPolicy> {
  return { maxUnavailable: random.pick([{ count: 1 }, { count: 3 }, { percent: 25 }, { percent: 100 }]) }
}

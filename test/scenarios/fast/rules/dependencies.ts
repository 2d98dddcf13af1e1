import type { RolloutPolicy } from '../../../../src/rollout/model/policy.ts'
import type { Random } from '../../random.ts'

/** Of the pools that come before it by name, so that there is no circle; drawn again for each pool. */
export function dependenciesFor(earlier: readonly string[]): (random: Random) => Partial<RolloutPolicy> {
  return (random) => ({ dependsOn: earlier.filter(() => random.chance(0.4)) })
}

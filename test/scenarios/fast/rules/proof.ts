import type { RolloutPolicy } from '../../../../src/rollout/model/policy.ts'
import type { Random } from '../../random.ts'

export function proof(random: Random): Partial<RolloutPolicy> {
  return { proof: { mode: random.pick(['Auto', 'Always']), timeout: random.pick([30_000, 120_000]) } }
}

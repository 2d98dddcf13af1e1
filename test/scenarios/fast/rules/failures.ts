import type { RolloutPolicy } from '../../../../src/rollout/model/policy.ts'
import type { Random } from '../../random.ts'

export function failures(random: Random): Partial<RolloutPolicy> {
  return {
    maxFailures: random.pick([{ count: 0 }, { count: 0 }, { count: 1 }, { percent: 20 }]),
    ...random.pick([{}, {}, { agentTimeout: 3 * 60_000 }]),
    onFailure: random.pick(['Halt', 'Rollback']),
  }
}

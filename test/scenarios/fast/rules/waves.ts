import type { RolloutPolicy } from '../../../../src/rollout/model/policy.ts'
import type { Random } from '../../random.ts'

const MINUTE = 60_000
const canary = { name: 'canary', nodes: { count: 1 }, soak: 2 * MINUTE, manual: false }
const early = { name: 'early', nodes: { percent: 30 }, soak: MINUTE, manual: false }
const approved = { name: 'approved', nodes: { percent: 100 }, soak: 0, manual: true }

export function waves(random: Random): Partial<RolloutPolicy> {
  return {
    waves: random.pick([[], [canary], [canary, early], [early], [canary, approved], [{ ...early, manual: true }], [approved]]),
  }
}

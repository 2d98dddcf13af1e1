import type { RolloutPolicy, WavePolicy } from '../../../../src/rollout/model/policy.ts'
import type { Random } from '../../random.ts'

const MINUTE = 60_000

/** Waves with a selector go by it. */
export const TIER = 'tier'

const canary = namedWave('canary', 2 * MINUTE)
const early = { ...namedWave('early', MINUTE), manual: true }
export const few = { name: 'few', nodes: { count: 1 }, soak: MINUTE, manual: false }

/** In a half of the pools; the others keep what they have. */
export function labelledWaves(random: Random): Partial<RolloutPolicy> {
  const drawn = [[canary], [canary, early], [canary, few], [few, namedWave('early', MINUTE)]]
  return random.chance(0.5) ? { waves: random.pick(drawn) } : {}
}

export function namedWave(name: string, soak: number): WavePolicy {
  return { name, nodes: { matchLabels: { [TIER]: name } }, soak, manual: false }
}

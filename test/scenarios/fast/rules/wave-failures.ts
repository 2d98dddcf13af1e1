import type { RolloutPolicy, WavePolicy } from '../../../../src/rollout/model/policy.ts'
import type { Random } from '../../random.ts'

/** One wave of four has a limit of its own, whichever rule drew it. */
export function limitWaves(pools: Map<string, RolloutPolicy>, random: Random): void {
  for (const [name, policy] of pools) pools.set(name, { ...policy, waves: policy.waves.map((wave) => limited(wave, random)) })
}

function limited(wave: WavePolicy, random: Random): WavePolicy {
  if (!random.chance(0.25)) return wave
  return { ...wave, maxFailures: random.pick([{ count: 0 }, { count: 1 }, { percent: 50 }]) }
}

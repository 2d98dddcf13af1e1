import type { RolloutPolicy } from '../../../../src/rollout/model/policy.ts'
import type { Random } from '../../random.ts'
import { few, namedWave } from './labelled-waves.ts'

const MINUTE = 60_000
const canary = namedWave('canary', 2 * MINUTE)
const early = namedWave('early', MINUTE)

/** Mostly a wave by labels is behind another one, and a pool stops where a commit fails: there it is retried. */
export function triedWaves(random: Random): Partial<RolloutPolicy> {
  const waves = random.pick([[canary, early], [canary, early], [few, early], [canary, few], [early]])
  return { waves, onFailure: random.pick(['Halt', 'Halt', 'Halt', 'Rollback']), windows: [] }
}

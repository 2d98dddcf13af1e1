import { isOfWave } from '../exposure/wave-progress.ts'
import { sizeOf, type WaveSize, waveStatus } from '../exposure/waves.ts'
import type { PoolState } from '../model/pool-state.ts'
import type { Memory } from '../model/snapshot.ts'

export function openWave(poolState: PoolState, open: number): Memory {
  const { rollout, waves } = poolState
  const frozen = rollout.memory.wave?.sizes ?? []
  const known = new Set(frozen.map(({ name }) => name))
  const sizes = [...frozen, ...frozenSize(poolState, open).filter(({ name }) => !known.has(name))]
  return { ...rollout.memory, wave: waveStatus(waves, { open, sizes }) }
}

/** A percentage is of those that are there when its wave opens. The last wave takes all that is left. */
function frozenSize({ waves, divided, members }: PoolState, open: number): readonly WaveSize[] {
  const wave = waves[open]
  if (!wave || 'count' in wave.nodes || open === waves.length - 1) return []
  const nodes =
    'percent' in wave.nodes ? sizeOf(wave, divided) : members.filter((member) => isOfWave(member, { wave, open })).length
  return [{ name: wave.name, nodes }]
}

import { isOfWave } from '../exposure/wave-progress.ts'
import { sizeOf, type WaveSize, waveStatus } from '../exposure/waves.ts'
import type { PoolState } from '../model/pool-state.ts'
import type { Memory } from '../model/snapshot.ts'

export function openWave(poolState: PoolState, open: number): Memory {
  const { rollout, waves } = poolState
  const sizes = withSize(rollout.memory.wave?.sizes ?? [], open, poolState)
  return { ...rollout.memory, wave: waveStatus(waves, { open, sizes }) }
}

/** A commit has made an open wave a percentage: that is of those that are there then. Undefined: each has its size. */
export function fixOpenWaves(poolState: PoolState): Memory | undefined {
  const { memory } = poolState.rollout
  const { sizes = [] } = memory.wave ?? {}
  let fixed = sizes
  for (const [index, { nodes }] of poolState.waves.slice(0, poolState.open + 1).entries())
    if ('percent' in nodes) fixed = withSize(fixed, index, poolState)
  return memory.wave && fixed !== sizes ? { ...memory, wave: { ...memory.wave, sizes: fixed } } : undefined
}

/** The same when the wave has its size, or needs none. */
function withSize(sizes: readonly WaveSize[], index: number, poolState: PoolState): readonly WaveSize[] {
  const known = poolState.waves[index]?.name
  const size = sizes.some(({ name }) => name === known) ? undefined : sizeNow(poolState, index)
  return size ? [...sizes, size] : sizes
}

/** A percentage is of those that are there when its wave opens. The last wave takes all that is left. */
function sizeNow({ waves, divided, members }: PoolState, open: number): WaveSize | undefined {
  const wave = waves[open]
  if (!wave || 'count' in wave.nodes || open === waves.length - 1) return undefined
  const nodes =
    'percent' in wave.nodes ? sizeOf(wave, divided) : members.filter((member) => isOfWave(member, { wave, open })).length
  return { name: wave.name, nodes }
}

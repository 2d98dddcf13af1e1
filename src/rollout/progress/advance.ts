import { awaitsNewsUntil, awaitsPromotion, isWaveDone } from '../exposure/wave-progress.ts'
import { unpassedGates, updateGates } from '../gates/gates.ts'
import type { PoolState } from '../model/pool-state.ts'
import { refOf } from '../model/remembered-revision.ts'
import type { Memory } from '../model/snapshot.ts'
import { failuresIn } from '../model/target-failures.ts'
import { describeGates } from '../model/text.ts'
import { endRollout, withFailures } from '../target/history.ts'
import { isTooMuch } from './failures.ts'
import { rememberLaterFailures } from './later-failures.ts'
import { rememberLosses } from './losses.ts'
import { fixOpenWaves, openWave } from './open-wave.ts'
import { reject, rejectForNodes } from './reject.ts'
import { rememberSoaked } from './remember-soak.ts'

/**
 * What the pool is to remember if the rollout has come a step further: more nodes failed, it failed as a whole, completed, or is at
 * its next wave. Undefined when it has not.
 */
export function advance(poolState: PoolState): Memory | undefined {
  const { state, memory, target } = poolState.rollout
  if (state === 'Blocked') return undefined
  if (state === 'Completed') return rememberLaterFailures(poolState)
  const losses = state === 'InProgress' ? rememberLosses(poolState) : undefined
  if (losses) return { ...memory, history: losses }
  const { failures, replaced } = failuresIn(poolState)
  const history = withFailures(memory.history, { target, failures: failures.length + replaced.length })
  if (history) return { ...memory, history }
  if (state === 'Halted') return undefined
  if (isTooMuch({ failures, replaced }, poolState)) return rejectForNodes(poolState, { failures, replaced })
  if (poolState.open < 0) return firstWave(poolState)
  const fixed = fixOpenWaves(poolState)
  if (fixed) return fixed
  const gates = updateGates(poolState)
  if (gates) return { ...memory, gates }
  return isWaveDone(poolState) ? pastTheWave(poolState) : undefined
}

/** A pool without nodes has no canary to choose; a manual first wave waits for a person. */
function firstWave(poolState: PoolState): Memory | undefined {
  return poolState.divided === 0 || awaitsPromotion(poolState) ? undefined : openWave(poolState, 0)
}

/** Gates first, so that a person who promotes knows what they said. */
function pastTheWave(poolState: PoolState): Memory | undefined {
  const gates = unpassedGates(poolState)
  const failed = gates.filter(({ record }) => record.state === 'Failed')
  if (failed.length > 0) return reject(poolState, describeGates(failed))
  if (gates.length > 0) return rememberSoaked(poolState)
  if (awaitsPromotion(poolState) || awaitsNewsUntil(poolState) !== undefined) return rememberSoaked(poolState)
  return poolState.open === poolState.waves.length - 1 ? complete(poolState) : openWave(poolState, poolState.open + 1)
}

function complete({ rollout, now }: PoolState): Memory {
  const { wave, ...memory } = rollout.memory
  return { ...memory, stable: refOf(rollout.target), history: endRollout(memory.history, { result: 'Completed', at: now }) }
}

import type { LostNode } from '../../protocol/node-pool.ts'
import { awaitsPromotion, isOfWave, isWaveDone } from '../exposure/wave-progress.ts'
import { sizeOf, type WaveSize, waveStatus } from '../exposure/waves.ts'
import { unpassedGates, updateGates } from '../gates/gates.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { isProven, recallStable, refOf } from '../model/remembered-revision.ts'
import type { Memory } from '../model/snapshot.ts'
import { failuresIn } from '../model/target-failures.ts'
import { describeFailures, describeGates, listNames } from '../model/text.ts'
import { endRollout, withFailures } from '../target/history.ts'
import { isTooMuch } from './failures.ts'
import { rememberLaterFailures } from './later-failures.ts'
import { rememberLosses } from './losses.ts'
import { rememberSoaked } from './remember-soak.ts'

const REJECTED_KEPT = 10

/**
 * What the pool is to remember if the run has come a step further: more nodes failed, it failed as a whole, completed, or is at
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
  if (isTooMuch({ failures, replaced }, poolState)) return reject(poolState, describeAll(failures, replaced))
  if (poolState.open < 0) return firstWave(poolState)
  const gates = updateGates(poolState)
  if (gates) return { ...memory, gates }
  return isWaveDone(poolState) ? pastTheWave(poolState) : undefined
}

/** `"b": …; "a": replaced after it had failed …` */
function describeAll(failures: readonly Member[], replaced: readonly LostNode[]): string {
  if (replaced.length === 0) return describeFailures(failures)
  const gone = `${listNames(replaced.map(({ name }) => name))}: replaced after having failed, or not having been Ready for a minute, in the middle of the change`
  return failures.length === 0 ? gone : `${describeFailures(failures)}; ${gone}`
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
  if (poolState.open === poolState.waves.length - 1) return complete(poolState)
  return awaitsPromotion(poolState) ? rememberSoaked(poolState) : openWave(poolState, poolState.open + 1)
}

function reject({ rollout, pool, now }: PoolState, message: string): Memory {
  const { memory, target } = rollout
  const stable = recallStable(pool, memory)
  const canGoBack = stable !== undefined && stable.fingerprint !== target.fingerprint && isProven(memory, stable)
  // Where people sent the pool, by a rollback or by a revert of what is stable, did not work out: what else to do is theirs to say.
  const goesBack = pool.policy.onFailure === 'Rollback' && canGoBack && memory.rollback === undefined
  return {
    ...memory,
    rejected: [refOf(target), ...memory.rejected].slice(0, REJECTED_KEPT),
    history: endRollout(memory.history, { result: goesBack ? 'RolledBack' : 'Halted', at: now, message }),
  }
}

function complete({ rollout, now }: PoolState): Memory {
  const { wave, ...memory } = rollout.memory
  return { ...memory, stable: refOf(rollout.target), history: endRollout(memory.history, { result: 'Completed', at: now }) }
}

function openWave(poolState: PoolState, open: number): Memory {
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

import { awaitsPromotion, isWaveDone } from '../exposure/wave-progress.ts'
import { tendGates, unpassedGates } from '../gates/gates.ts'
import type { Picture } from '../model/pool-state.ts'
import type { Memory } from '../model/snapshot.ts'
import { describeFailures, describeGates } from '../model/text.ts'
import { endRun, withFailures } from '../target/history.ts'
import { refOf } from '../target/target.ts'
import { failuresOf, isTooMuch } from './failures.ts'

const REJECTED_KEPT = 10

/**
 * What the pool is to remember if the run has come a step further: more nodes failed, it failed as a whole, completed, or is at
 * its next wave. Undefined when it has not.
 */
export function advance(picture: Picture): Memory | undefined {
  const { state, memory, target } = picture.run
  if (state === 'Completed' || state === 'Withheld') return undefined
  const failures = failuresOf(picture)
  const history = withFailures(memory.history, { target, failures: failures.length })
  if (history) return { ...memory, history }
  if (state === 'Halted') return undefined
  if (isTooMuch(failures, picture)) return reject(picture, describeFailures(failures))
  const gates = tendGates(picture)
  if (gates) return { ...memory, gates }
  return isWaveDone(picture) ? pastTheWave(picture) : undefined
}

/** Gates first, so that a person who promotes knows what they said. */
function pastTheWave(picture: Picture): Memory | undefined {
  const gates = unpassedGates(picture)
  const failed = gates.filter(({ record }) => record.state === 'Failed')
  if (failed.length > 0) return reject(picture, describeGates(failed))
  if (gates.length > 0) return undefined
  if (picture.open === picture.waves.length - 1) return complete(picture)
  return awaitsPromotion(picture) ? undefined : openWave(picture, picture.open + 1)
}

function reject({ run, pool, now }: Picture, message: string): Memory {
  const { memory, target, stable } = run
  const canGoBack = stable !== undefined && stable.fingerprint !== target.fingerprint
  // Where a person sent the pool did not work out: what else to do is theirs to say.
  const goesBack = pool.policy.onFailure === 'Rollback' && canGoBack && memory.rollback === undefined
  return {
    ...memory,
    rejected: [refOf(target), ...memory.rejected].slice(0, REJECTED_KEPT),
    history: endRun(memory.history, { result: goesBack ? 'RolledBack' : 'Halted', at: now, message }),
  }
}

function complete({ run, now }: Picture): Memory {
  const { wave, ...memory } = run.memory
  return { ...memory, stable: refOf(run.target), history: endRun(memory.history, { result: 'Completed', at: now }) }
}

function openWave({ run, waves }: Picture, open: number): Memory {
  return { ...run.memory, wave: { index: open + 1, count: waves.length, name: waves[open]?.name ?? '' } }
}

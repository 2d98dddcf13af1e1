import { failuresOf, isTooMuch } from './failures.ts'
import { endRun } from './history.ts'
import type { Member, Picture } from './picture.ts'
import { awaitsPromotion, isWaveDone } from './progress.ts'
import type { Memory } from './snapshot.ts'
import { refOf } from './target.ts'
import { describeFailures } from './wording.ts'

const REJECTED_KEPT = 10

/**
 * What the pool is to remember if the run has come a step further: failed, completed, or at its next wave. Undefined
 * when it has not.
 */
export function advance(picture: Picture): Memory | undefined {
  if (picture.run.state !== 'Going') return undefined
  const failures = failuresOf(picture)
  if (isTooMuch(failures, picture)) return reject(picture, failures)
  if (!isWaveDone(picture)) return undefined
  if (picture.open === picture.waves.length - 1) return complete(picture)
  return awaitsPromotion(picture) ? undefined : openWave(picture, picture.open + 1)
}

function reject({ run, pool, now }: Picture, failures: readonly Member[]): Memory {
  const { memory, target, stable } = run
  const goesBack = pool.policy.onFailure === 'Rollback' && stable !== undefined && stable.fingerprint !== target.fingerprint
  return {
    ...memory,
    rejected: [refOf(target), ...memory.rejected].slice(0, REJECTED_KEPT),
    history: endRun(memory.history, { result: goesBack ? 'RolledBack' : 'Halted', at: now, message: describeFailures(failures) }),
  }
}

function complete({ run, now }: Picture): Memory {
  const { wave, ...memory } = run.memory
  return { ...memory, stable: refOf(run.target), history: endRun(memory.history, { result: 'Completed', at: now }) }
}

function openWave({ run, waves }: Picture, open: number): Memory {
  return { ...run.memory, wave: { index: open + 1, count: waves.length, name: waves[open]?.name ?? '' } }
}

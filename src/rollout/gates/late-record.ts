import type { GateStatus } from '../../protocol/node-pool.ts'
import { sizeWhenOpened } from '../exposure/waves.ts'
import type { GatePolicy } from '../model/policy.ts'
import type { Member, PoolState } from '../model/pool-state.ts'

/**
 * The open wave has begun, and what was unavailable before it was not recorded: the status was lost, an older one was restored, or a commit
 * has added the gate. Recorded now, what the target has broken on the first nodes would seem to have been so before. Where every node has
 * the target, there is nobody left to protect.
 */
export function isRecordedLate(
  { name }: GatePolicy,
  { record, state }: { readonly record: GateStatus | undefined; readonly state: PoolState },
): boolean {
  if (record && record.state !== 'Recording') return false
  const { members, rollout } = state
  const [run] = rollout.memory.history
  const hasPassed = rollout.memory.gates?.some(
    (other) =>
      other.name === name && other.state === 'Passed' && other.rollout === run?.startedAt && other.revision === run.revision,
  )
  if (hasPassed) return false
  const isLeft = members.some(({ wave, changes, isExposed }) => wave !== undefined && changes && !isExposed)
  return isLeft && isExposedInWave(state) && !fitsBefore(state)
}

/**
 * The waves before have places for all that were assigned the target. One that a node gave up, because it was down and was tried in vain, or that
 * is gone since the pool has shrunk, shows no node that the open wave has begun with.
 */
function fitsBefore({ members, waves, open, divided, rollout }: PoolState): boolean {
  const opened = { total: divided, sizes: rollout.memory.wave?.sizes }
  const places = waves.slice(0, open).reduce((sum, wave) => sum + sizeWhenOpened(wave, opened), 0)
  const exposed = members.filter(({ wave, isExposed }) => wave !== undefined && isExposed)
  const sound = exposed.filter(seemedSound).length
  // As many unsound nodes as it has places are tried in a wave besides.
  return sound <= places && exposed.length - sound <= places
}

function seemedSound({ node: { assigned } }: Member): boolean {
  return assigned?.nodeWas === undefined || assigned.nodeWas === 'Disturbed'
}

/** Some node of the open wave was assigned the target. */
export function isExposedInWave({ members, open }: Pick<PoolState, 'members' | 'open'>): boolean {
  return members.some(({ wave, isExposed }) => wave === open && isExposed)
}

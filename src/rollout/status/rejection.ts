import type { RevisionRef } from '../../protocol/node-pool.ts'
import { rollbackAsked, rollbackChoices } from '../controls/rollback.ts'
import type { PoolState } from '../model/pool-state.ts'
import { isRejected } from '../model/remembered-revision.ts'
import { isSuperseded } from '../model/rollout.ts'
import type { Memory } from '../model/snapshot.ts'
import { listNames, shortName } from '../model/text.ts'
import { isToDrain } from '../selection/eligible-nodes.ts'
import type { Explanation } from './explanation.ts'
import { heldElsewhere } from './held-elsewhere.ts'
import { endRollbackCommand, retryCommand, rollbackCommand } from './remedies.ts'
import { isRollingBack } from './rolling-back.ts'

/** The newest commit failed here. By its content, so it may be another commit than the one that was tried. */
export function rejection(poolState: PoolState): Explanation | undefined {
  const { pool, rollout, notAtRest } = poolState
  const { memory, target, state } = rollout
  const refused = isRejected(memory, pool.head) ? pool.head : state === 'Halted' ? target : undefined
  if (!refused || state === 'Blocked') return undefined
  const [reason, outcome] =
    state === 'Halted'
      ? (['Halted', whatIsTouched(poolState)] as const)
      : (['RolledBack', `the pool ${wayOf(poolState)} ${shortName(target)}${heldElsewhere(notAtRest)}`] as const)
  const stopped = isStoppedElsewhere(rollout, refused) ? target : undefined
  const again = stopped ? `; to try ${shortName(stopped)} again: ${retryCommand(pool.name, stopped, memory)}` : ''
  const remedy = `push a fix or a revert${otherRemedies(pool, rollout, refused)}${again}`
  const next = rollout.commitBlocker ? `${rollout.commitBlocker.message}; ` : ''
  const why = [refused, ...(stopped ? [stopped] : [])].map((each) => whyRefused(each, memory)).join('; ')
  return { reason, message: `${why}; ${outcome}; ${next}${remedy}` }
}

/** Halted at other content than the newest commit, which has failed as well: on the way back, or with a fix. */
function isStoppedElsewhere({ state, target, memory }: PoolState['rollout'], { fingerprint }: RevisionRef): boolean {
  return state === 'Halted' && target.fingerprint !== fingerprint && isRejected(memory, target)
}

function wayOf(poolState: PoolState): string {
  return isRollingBack(poolState) ? 'rolls back to' : 'stays with'
}

/** During a rollback a retry begins nothing, nor does one of what is not the newest commit. Where the pool is halted, the way back needs no commit. */
function otherRemedies(pool: PoolState['pool'], { memory, state }: PoolState['rollout'], refused: RevisionRef): string {
  const retry = retryCommand(pool.name, refused, memory)
  if (memory.rollback && memory.rollback.to.fingerprint !== refused.fingerprint)
    return `; to try it again: ${endRollbackCommand(pool.name)}, and then: ${retry}`
  const choices = rollbackChoices(memory, pool.kept ?? pool.known)
  const back = state === 'Halted' && !memory.rollback && rollbackAsked('', { memory, choices })
  const isNext = memory.rollback !== undefined || isRejected(memory, pool.head)
  if (!back) return isNext ? `, or: ${retry}` : ''
  return `; to go back now: ${rollbackCommand(pool.name, back)}${isNext ? `; to try it again: ${retry}` : ''}`
}

function whatIsTouched(poolState: PoolState): string {
  const { rollout, notAtRest } = poolState
  if (!rollout.stable || !isSuperseded(rollout)) return 'no node changes'
  const waiting = notAtRest.filter((member) => member.exposure.because === 'Repair' && isToDrain(member, poolState))
  const names = listNames(waiting.map(({ node }) => node.name).sort())
  const isSpared = names === '' ? '' : `, but not those that need a drain first (${names})`
  return `broken nodes are repaired with ${shortName(rollout.stable)}${isSpared}, no other node changes`
}

function whyRefused(refused: RevisionRef, { rejected, history }: Memory): string {
  const tried = rejected.find(({ fingerprint }) => fingerprint === refused.fingerprint)
  const same = tried && tried.revision !== refused.revision ? ` renders the same as ${shortName(tried)}, which` : ''
  const told = history.find(({ fingerprint, message }) => fingerprint === refused.fingerprint && message !== undefined)
  return `${shortName(refused)}${same} failed${told ? ` on ${told.message}` : ''}`
}

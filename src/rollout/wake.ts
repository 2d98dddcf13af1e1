import { closingTime } from './blockers/closed-window.ts'
import { pastDrainingAt } from './exposure/eligible.ts'
import { isSettled } from './exposure/wave-progress.ts'
import { nextGate } from './gates/gates.ts'
import type { Instant } from './model/instant.ts'
import type { PoolState } from './model/pool-state.ts'
import { requestCountsAt } from './model/reboot.ts'
import { workEnds } from './selection/budget-holders.ts'
import type { PoolProposal } from './selection/propose.ts'
import { takenAt } from './selection/served.ts'

/** The next instant at which time alone changes something: the end of a soak, of a timeout, of a restraint, of an open window, the next question to a gate. */
export function wakeAt(poolState: PoolState, { blocker }: Pick<PoolProposal, 'blocker'>): Instant | undefined {
  const { pool, members, rollout, now } = poolState
  const mayBegin = rollout.state !== 'Halted' && !isSettled(poolState)
  const restrained = [...(isSettled(poolState) ? [] : [blocker?.until]), ...(mayBegin ? [closingTime(poolState)] : [])]
  let earliest: Instant | undefined
  for (const until of [
    ...members.map(({ progress }) => progress.until),
    ...members.map(({ proof }) => (proof?.kind === 'Underway' ? proof.until : undefined)),
    ...members.map((member) => workEnds(member, poolState)),
    ...members.map(({ node }) => pastDrainingAt(node, pool.policy)),
    ...members.map((member) => takenAt(member, poolState)),
    ...members.map(({ node }) => requestCountsAt(node, now)),
    ...restrained,
    rollout.commitBlocker?.until,
    ...nextGate(poolState),
  ])
    if (until !== undefined && until > now) earliest = Math.min(earliest ?? until, until)
  return earliest
}

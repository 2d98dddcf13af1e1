import { closingTime } from './blockers/closed-window.ts'
import { downForLongAt, pastDrainingAt, podsGivenUpAt } from './exposure/past-draining.ts'
import { awaitsNewsUntil, isSettled } from './exposure/wave-progress.ts'
import { nextGate } from './gates/gates.ts'
import { skipEnds } from './model/cordon.ts'
import { blinkEnds, isCountingNothing, joiningEnds, withoutBreaks } from './model/deadlines.ts'
import { chanceEnds } from './model/evidence.ts'
import type { Instant } from './model/instant.ts'
import type { Member, PoolState } from './model/pool-state.ts'
import { requestChangesAt, waitsAfterReboot } from './model/reboot.ts'
import { stampsChangeAt } from './model/stamps-ahead.ts'
import { wantedAgainAt } from './model/wanted-assignment.ts'
import { lossCountsFrom } from './progress/losses.ts'
import { workEnds } from './selection/budget-holders.ts'
import type { PoolProposal } from './selection/propose.ts'

/** The next instant at which time alone changes something: the end of a soak, of a timeout, of a blocker, of an open window, the next question to a gate. */
export function wakeAt(poolState: PoolState, { until }: Pick<PoolProposal, 'until'>): Instant | undefined {
  const { notAtRest, rollout, now } = poolState
  const settled = isSettled(poolState)
  const mayBegin = rollout.state !== 'Halted' && !settled
  let earliest = Number.POSITIVE_INFINITY
  const consider = (at: Instant | undefined): void => {
    if (at !== undefined && at > now) earliest = Math.min(earliest, at)
  }
  for (const member of notAtRest) considerMember(member, { poolState, consider })
  if (!settled) consider(until)
  if (mayBegin) consider(closingTime(poolState))
  consider(rollout.commitBlocker?.until)
  for (const at of nextGate(poolState)) consider(at)
  consider(awaitsNewsUntil(poolState))
  consider(countsAgainAt(poolState))
  return earliest === Number.POSITIVE_INFINITY ? undefined : earliest
}

/** Milliseconds. */
const LOOK_AGAIN = 5_000

/** When to say until when a soak lasts, after a pass in which no time was counted: it may have been the last such pass. */
function countsAgainAt(poolState: PoolState): Instant | undefined {
  const { counts, clock, now } = poolState
  const lasts = counts.byPhase.has('Soaking') || awaitsNewsUntil(poolState) !== undefined
  return lasts && isCountingNothing(clock) ? now + LOOK_AGAIN : undefined
}

function considerMember(
  member: Member,
  { poolState, consider }: { readonly poolState: PoolState; readonly consider: (until: Instant | undefined) => void },
): void {
  const { node, report, progress, proof, selectedAt } = member
  consider(progress.until)
  // Somebody's cordon keeps it from that, and its progress does not tell.
  if (member.exposure.because === 'Joining') consider(joiningEnds(node, poolState.pool.policy))
  if (proof?.kind === 'Underway') consider(proof.until)
  consider(workEnds(member, poolState))
  consider(wantedAgainAt(node, report, poolState.clock))
  // Its place goes by the clocks alone.
  if (member.isExposed) for (const by of [poolState.clock, withoutBreaks(poolState.clock)]) consider(chanceEnds(member, by))
  consider(downForLongAt(node, poolState.clock))
  consider(podsGivenUpAt(node, poolState.clock))
  consider(pastDrainingAt(member, poolState.clock))
  consider(blinkEnds(node, poolState.clock))
  // Its wave may have given its place to another meanwhile.
  consider(skipEnds(node, { policy: poolState.pool.policy, now: poolState.now }))
  for (const at of stampsChangeAt(member, poolState)) consider(at)
  consider(selectedAt)
  consider(lossCountsFrom(member, poolState))
  consider(requestChangesAt(node, poolState.now))
  if (poolState.pool.policy.reboot?.whenRequired === 'InWindows') consider(waitsAfterReboot(node, poolState.clock))
}

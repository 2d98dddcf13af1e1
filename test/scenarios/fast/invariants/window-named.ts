import type { Instant } from '../../../../src/rollout/model/instant.ts'
import type { Invariant } from '../invariants.ts'
import { type Decided, decidedPools } from './steps.ts'
import { isOpen } from './windows-kept.ts'

const MINUTE = 60_000

/** An operator who waits for the named time finds an open window then. */
export const windowNamed: Invariant = {
  claim: 'a pool that waits for a window is outside its windows, and names the time at which the next one opens',
  ofDecision: (observed) =>
    decidedPools(observed).every((decided) => timesIn(decided).every((time) => isNextOpening(time, decided))),
}

/** NaN where a wait for a window names no time. */
function timesIn({ decision: { status } }: Decided): Instant[] {
  return status.conditions.flatMap(({ reason, message }) => {
    const named = /the next opens at (\S+?Z)/.exec(message)?.[1]
    return named !== undefined || reason === 'WaitingForWindow' ? [Date.parse(named ?? '')] : []
  })
}

/** The windows of stories open and close at full minutes. */
function isNextOpening(time: Instant, decided: Decided): boolean {
  const { at } = decided
  if (Number.isNaN(time) || time <= at || isOpen(decided, at)) return false
  for (let minute = Math.ceil(at / MINUTE) * MINUTE; minute < time; minute += MINUTE) if (isOpen(decided, minute)) return false
  return isOpen(decided, time)
}

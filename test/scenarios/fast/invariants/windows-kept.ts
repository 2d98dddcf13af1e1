import type { Window } from '../../../../src/calendar/window.ts'
import type { Instant } from '../../../../src/rollout/model/instant.ts'
import type { NodeView } from '../../../../src/rollout/model/node-view.ts'
import { fingerprintOf } from '../content.ts'
import type { Invariant } from '../invariants.ts'
import { cordonsOf, type Decided, decidedPools, isBegun, isJoining, stepsOf } from './steps.ts'

const MINUTE = 60_000

export const windowsKept: Invariant = {
  claim:
    'outside the windows nothing begins but nodes that join, the way back where that is let through, and where people send it; a pool that is back has its windows again',
  ofDecision: (observed) => decidedPools(observed).every((decided) => isOpen(decided, observed.at) || beginsNothing(decided)),
}

function beginsNothing(decided: Decided): boolean {
  const { pool, decision } = decided
  const { rollback, history } = decision.status
  const isLetThrough = rollback !== undefined || (goesBack(decided) && pool.policy.rollbackOutsideWindows)
  const isBack = history[0]?.result === 'Completed'
  if (isLetThrough && !isBack) return true
  const begun = [...stepsOf(decided), ...cordonsOf(decided)].filter(({ node, digest }) => !isBegun(node, digest))
  return begun.every(({ node }) => isJoining(node, decided) || (isLetThrough && hasNewest(node, decided)))
}

/** To what has completed, or from what failed. What follows a failure and has not completed is on its way forward: a fix, say. */
function goesBack({ pool: { head }, decision: { status } }: Decided): boolean {
  const { target, stable } = status
  const hasFailed = (at: string | undefined) => status.rejected.some(({ fingerprint }) => fingerprint === at)
  return hasFailed(target?.fingerprint) || (hasFailed(head.fingerprint) && target?.fingerprint === stable?.fingerprint)
}

/** What the pool went back from. */
function hasNewest({ assigned }: NodeView, { pool: { head } }: Decided): boolean {
  return assigned !== undefined && head.fingerprint === fingerprintOf(assigned.digest)
}

/** Told again here: those that are drawn open every so many minutes of an hour. */
export function isOpen({ pool: { policy } }: Pick<Decided, 'pool'>, at: Instant): boolean {
  const open = (action: Window['action']) => policy.windows.filter((window) => window.action === action && isWithin(window, at))
  const hasAllow = policy.windows.some(({ action }) => action === 'allow')
  return (!hasAllow || open('allow').length > 0) && open('deny').length === 0
}

function isWithin(window: Window, at: Instant): boolean {
  if (!('schedule' in window)) return false
  const period = Number(/^\*\/(\d+) /.exec(window.schedule)?.[1]) * MINUTE
  return (at % (60 * MINUTE)) % period < window.duration
}

import { boundPromotion, observeApprovals } from '../controls/approvals.ts'
import { observeControls } from '../controls/observe-controls.ts'
import type { Instant } from '../model/instant.ts'
import { isProven, isRejected, recallRevision, refOf } from '../model/remembered-revision.ts'
import type { Rollout } from '../model/rollout.ts'
import type { Memory, PoolSnapshot, Revision } from '../model/snapshot.ts'
import { commitBlocker } from './commit-blocker.ts'
import { goesOn, restamped, traceStart, withRollout } from './history.ts'
import { chooseTarget, isRollbackLost } from './target.ts'

export function currentRollout(before: PoolSnapshot, now: Instant): Rollout {
  const observed = { ...before, memory: observeControls(before, now) }
  const blocker = commitBlocker(observed)
  const target = chooseTarget(observed, { isBlocked: blocker !== undefined })
  const pool = { ...observed, memory: observeApprovals(observed, target) }
  const isHalted = isRejected(pool.memory, target) || isRollbackLost(pool.memory, target)
  const stopped = isHalted ? 'Halted' : blocker && isHead(pool, target) ? 'Blocked' : undefined
  const memory = stopped ? stoppedAt(pool, { target, state: stopped }) : onTheWay(pool, { target, now })
  const [top] = memory.history
  const proven = isProven(memory, target)
  // While a person has the pool at what it completed before, that is the good content: also for nodes that join, or break on the way.
  const stable = memory.rollback && proven ? target : stableOf(pool, memory)
  return {
    target,
    ...(stable && { stable }),
    ...(blocker && { commitBlocker: blocker }),
    startedAt: top ? Math.min(Date.parse(top.startedAt), now) : now,
    state: stopped ?? (top?.result === 'Completed' ? 'Completed' : 'InProgress'),
    proven,
    memory,
  }
}

function isHead({ head }: PoolSnapshot, target: Revision): boolean {
  return target.fingerprint === head.fingerprint
}

/** What is withheld is not remembered as the target: that would count as having begun. */
function stoppedAt(
  { memory }: PoolSnapshot,
  { target, state }: { readonly target: Revision; readonly state: 'Halted' | 'Blocked' },
): Memory {
  return state === 'Halted' ? { ...memory, target: refOf(target) } : memory
}

function stableOf(pool: PoolSnapshot, { stable, ...memory }: Memory): Revision | undefined {
  return stable && !isRejected(memory, stable) ? recallRevision(pool, stable) : undefined
}

function onTheWay(
  { memory: before, ...pool }: PoolSnapshot,
  { target, now }: { readonly target: Revision; readonly now: Instant },
): Memory {
  const { wave, ...memory } = before
  const lost = memory.target === undefined && memory.history.length === 0
  const history = withRollout(memory.history, target, lost ? traceStart(pool, target, now) : now)
  const bound = goesOn(memory.history, target) ? restamped(memory, history[0]?.startedAt) : memory
  const promotion = history[0] && boundPromotion(bound, { ...target, startedAt: history[0].startedAt })
  return {
    ...bound,
    ...(promotion && { promotion }),
    target: refOf(target),
    history,
    ...(history[0]?.result === 'Completed' && { stable: refOf(target) }),
    ...(wave && goesOn(memory.history, target) && { wave }),
  }
}

import { observeControls } from '../controls/observe-controls.ts'
import { boundPromotion, observeApprovals } from '../controls/promotion.ts'
import { type Instant, isFromAhead, stamp } from '../model/instant.ts'
import { isForgetful, isProven, isRejected, isSameRef, recallStable, refOf } from '../model/remembered-revision.ts'
import type { Rollout } from '../model/rollout.ts'
import { type Memory, type PoolSnapshot, type Revision, withMemory } from '../model/snapshot.ts'
import { afterStamps, isAssigned } from '../model/wanted-assignment.ts'
import { commitBlocker } from './commit-blocker.ts'
import { commitsOf, endRollout, goesOn, restamped, triedSince, withRollout } from './history.ts'
import { chooseTarget, isRollbackLost } from './target.ts'
import { traceStart } from './trace-start.ts'

export function currentRollout(before: PoolSnapshot, now: Instant): Rollout {
  const observed = withMemory(before, observeControls(before, now))
  const blocker = commitBlocker(observed, now)
  const target = chooseTarget(observed, { isBlocked: blocker !== undefined })
  const pool = withMemory(observed, observeApprovals(observed, target))
  const isHalted = isRejected(pool.memory, target) || isRollbackLost(pool.memory, target)
  const stopped = isHalted ? 'Halted' : blocker && isHead(pool, target) ? 'Blocked' : undefined
  const memory = stopped ? stoppedAt(pool, { target, state: stopped, now }) : onTheWay(pool, { target, now })
  const [top] = memory.history
  const proven = isProven(memory, target)
  // What the pool goes back to has completed as well: nodes that join, or break on the way, do not get what it leaves.
  const stable = proven && !stopped ? target : stableOf(pool, { memory, target, proven })
  const began = top ? Date.parse(top.startedAt) : (traceStart(pool, { target, now }) ?? now)
  const startedAt = stopped && isFromAhead(began, { now, longest: pool.policy.applyTimeout }) ? now : began
  return {
    target,
    stable,
    completed: completedIn(memory),
    commitBlocker: blocker,
    startedAt,
    triedSince: triedSince(memory.history, target),
    assignsFrom: stopped || top?.retriedAt === undefined ? startedAt : Math.max(startedAt, Date.parse(top.retriedAt)),
    state: stopped ?? (top?.result === 'Completed' ? 'Completed' : 'InProgress'),
    proven,
    memory,
  }
}

function isHead({ head }: PoolSnapshot, target: Revision): boolean {
  return target.fingerprint === head.fingerprint
}

/** What is blocked, or shown in the place of a rollback that is lost, is not remembered as the target: that would count as having begun. */
function stoppedAt(
  { memory }: PoolSnapshot,
  { target, state, now }: { readonly target: Revision; readonly state: 'Halted' | 'Blocked'; readonly now: Instant },
): Memory {
  if (state !== 'Halted' || isRollbackLost(memory, target)) return memory
  const { wave, ...others } = memory
  const history = endRollout(memory.history, { result: 'Superseded', at: now })
  // A restored status may tell of a rollout under way that the pool does not go on with.
  const isElsewhere = memory.history[0]?.fingerprint !== target.fingerprint
  return { ...(isElsewhere ? { ...others, history } : memory), target: refOf(target) }
}

/** Not the target while that has to prove itself again: it would seem to change no node, and to be safe for those that join. */
function stableOf(
  pool: PoolSnapshot,
  { memory, target, proven }: Pick<Rollout, 'memory' | 'target' | 'proven'>,
): Revision | undefined {
  return !proven && memory.stable?.fingerprint === target.fingerprint ? undefined : recallStable(pool, memory)
}

/** Another version of the program may render other content of the same commit: where one of them has not completed, the commit says nothing. */
function completedIn(memory: Memory): ReadonlySet<string> {
  const entries = Map.groupBy(memory.history, (entry) => isProven(memory, entry) && !isRejected(memory, entry))
  const completed = new Set(entries.get(true)?.flatMap(commitsOf))
  for (const commit of entries.get(false)?.flatMap(commitsOf) ?? []) completed.delete(commit)
  return completed
}

function onTheWay(pool: PoolSnapshot, { target, now }: { readonly target: Revision; readonly now: Instant }): Memory {
  const { memory: before } = pool
  const isSame = goesOn(before.history, target)
  const startedAt = isSame ? now : beginning(pool, { target, now })
  const history = withRollout(before, target, { startedAt, longest: pool.policy.applyTimeout })
  const [top] = history
  const memory = isSame ? restamped(before, top?.startedAt) : before
  const promotion = top && boundPromotion(memory, { fingerprint: target.fingerprint, startedAt: top.startedAt })
  const isNoted = isSameRef(before.target, target) && (top?.result !== 'Completed' || isSameRef(before.stable, target))
  // Most passes have nothing new to remember: then it stays the same object, and what follows finds that at no cost.
  const wave = isSame ? soakedByNow(memory.wave, now) : undefined
  if (isSame && isNoted && history === before.history && promotion === before.promotion && wave === before.wave) return before
  const { wave: _, ...bound } = memory
  return {
    ...bound,
    ...(promotion && { promotion }),
    target: refOf(target),
    history,
    ...(wasReturning(before, target) && { stable: before.target }),
    ...(top?.result === 'Completed' && { stable: refOf(target) }),
    ...(wave && { wave }),
  }
}

/** Nodes may have the content from a rollout before: what failed then, and what was approved for it, is not of this one. */
function beginning(pool: PoolSnapshot, { target, now }: { readonly target: Revision; readonly now: Instant }): Instant {
  const { memory, nodes, policy } = pool
  const isForgotten = isForgetful(memory)
  const traced = isForgotten || !isProven(memory, target) ? traceStart(pool, { target, now }) : undefined
  if (traced !== undefined || isForgotten) return traced ?? now
  const ofContent = nodes.filter((node) => isAssigned(node, target.wanted.get(node.name)))
  const entries = memory.history.filter(({ fingerprint }) => fingerprint === target.fingerprint)
  const before = [...ofContent.map(({ assigned }) => assigned?.at), ...entries.map((entry) => Date.parse(entry.startedAt))]
  return afterStamps(before, { now, longest: policy.applyTimeout })
}

/** What soaks later than now was not watched to its end: the clock that said so has been put back since. */
function soakedByNow(wave: Memory['wave'], now: Instant): Memory['wave'] {
  return wave?.soakedAt !== undefined && Date.parse(wave.soakedAt) > now ? { ...wave, soakedAt: stamp(now) } : wave
}

/**
 * It was on its way back from what completed last. If what comes instead fails, to go there would undo that: what it was going back to has
 * completed as well. A retry of it is the same way.
 */
function wasReturning(memory: Memory, next: Revision): memory is Memory & Required<Pick<Memory, 'target'>> {
  const { target, stable } = memory
  if (!target || !stable || target.fingerprint === next.fingerprint || isProven(memory, stable)) return false
  return isProven(memory, target) && !isRejected(memory, target)
}

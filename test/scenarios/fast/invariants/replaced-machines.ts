import type { HistoryEntry, LaterFailures } from '../../../../src/protocol/node-pool.ts'
import type { NodeView } from '../../../../src/rollout/model/node-view.ts'
import type { Share } from '../../../../src/rollout/model/policy.ts'
import { fingerprintOf } from '../content.ts'
import type { Invariant } from '../invariants.ts'
import { stampOf } from '../stamp.ts'
import { allowed, type Decided, decidedPools, hasEnded, isRendered, stepsOf } from './steps.ts'

export const replacedMachines: Invariant = {
  claim:
    'a machine that failed after a rollout had completed is remembered when it is gone; more than the pool bears, and new nodes are tried one at a time; and none that a rollout under way has broken is forgotten, and none that was down before counts',
  ofDecision: (observed) =>
    decidedPools(observed).every(
      (decided) => isCounted(decided) && triesOne(decided) && losesFew(decided) && blamesNone(decided),
    ),
}

/** The rollout cannot have broken one that was down before its assignment and since. Stamps have whole seconds. */
function blamesNone({ pool, decision: { status } }: Decided): boolean {
  const [run] = status.history
  const blamed = new Set(run?.losses?.nodes.map(({ name }) => name))
  return pool.nodes.every(({ name, ready, readySince, assigned }) => {
    const wasDown = !ready && assigned?.nodeWas === 'Down' && readySince + 1000 <= (assigned.at ?? 0)
    return !wasDown || !blamed.has(name)
  })
}

/** Of those that the rollout under way may have broken, each that is gone counts; it does not go on when these are more than it bears. */
function losesFew({ pool, decision: { status } }: Decided): boolean {
  const [before, after] = [pool.memory.history[0], status.history[0]]
  if (!before?.losses || !isSameRollout(before, after) || after?.result !== 'Running') return true
  // It has failed, as a note says beside a restored status: the pool is halted, whoever else is lost.
  if (status.rejected.some(({ fingerprint }) => fingerprint === after.fingerprint)) return true
  const { policy, nodes } = pool
  const gone = before.losses.nodes.filter(({ name }) => nodes.every((node) => node.name !== name || isAnother(node)))
  const { replaced = [] } = after.losses ?? {}
  const borne = Math.max(
    ofNodes(policy.maxFailures, nodes.length),
    isReturn(status) ? allowed(policy.maxUnavailable, nodes.length) : 0,
  )
  return gone.every(({ name }) => replaced.some((lost) => lost.name === name)) && replaced.length <= borne
}

/** To content that the pool has completed, by a revert as well. */
function isReturn({ stable, target, history: [, ...older] }: Decided['decision']['status']): boolean {
  const hasCompleted = older.some(
    ({ fingerprint, result, abandoned }) => fingerprint === target?.fingerprint && result === 'Completed' && !abandoned,
  )
  return hasCompleted || stable?.fingerprint === target?.fingerprint
}

/** Those of whom it was known that they fail, and that are not there any more, or are other machines. */
function isCounted({ pool, decision: { status }, at }: Decided): boolean {
  const [before, after] = [pool.memory.history[0], status.history[0]]
  const known = before?.laterFailures
  // Where the ConfigMap of its commit is gone, that waits until it is back.
  if (!isRendered(pool.memory.target, pool)) return true
  // A pool that is halted at other content, as by a note beside a restored status, counts again when this is its target again.
  if (before?.fingerprint !== status.target?.fingerprint) return true
  if (known === undefined || !isSameRollout(before, after) || wasRetried(pool.memory, status)) return true
  const gone = known.nodes.filter((name) => pool.nodes.every((node) => node.name !== name || isAnother(node)))
  const counted = after?.laterFailures?.replaced ?? 0
  const since = gone.length > 0 ? lastGone(known, { pool, at }) : (known.since ?? '')
  // In a story a machine may be assigned, and work, at the very instant at which another one is gone.
  if (counted === 0 && pool.nodes.some((node) => worksSince(since, node))) return true
  if (gone.length > 0) return counted >= gone.length && after?.laterFailures?.since === since
  const { replaced = 0, nodes, uids = [] } = known
  const back = pool.nodes.filter((node) => !isAnother(node) && !nodes.includes(node.name) && uids.includes(node.uid ?? ''))
  return counted === replaced - back.length
}

/**
 * After a failover to a replica whose clock is a little behind, the loss before is stamped later than now: what was assigned before that
 * one would end the count if it were counted from now. What is further ahead than work may take is no stamp of such a clock.
 */
function lastGone({ since }: LaterFailures, { pool, at }: Pick<Decided, 'pool' | 'at'>): string {
  const ahead = since === undefined ? 0 : Date.parse(since) - at
  return since !== undefined && ahead > 0 && ahead < pool.policy.applyTimeout ? since : new Date(at).toISOString()
}

/** After a clock was put back, the next one may begin at the instant that this one was stamped again. */
function isSameRollout(before: HistoryEntry | undefined, after: HistoryEntry | undefined): boolean {
  return before?.startedAt === after?.startedAt && before?.fingerprint === after?.fingerprint
}

function wasRetried(before: Decided['pool']['memory'], { observedControls }: Decided['decision']['status']): boolean {
  return before.observedControls?.retry !== observedControls?.retry
}

function isAnother({ leaving, assigned }: NodeView): boolean {
  return leaving === true || assigned === undefined
}

function worksSince(since: string, node: NodeView): boolean {
  return node.status?.phase === 'Applied' && hasEnded(node) && (node.assigned?.at ?? 0) >= Date.parse(since)
}

function triesOne(decided: Decided): boolean {
  const { pool, decision } = decided
  const [run] = decision.status.history
  const replaced = run?.laterFailures?.replaced ?? 0
  if (run?.result !== 'Completed' || replaced <= borneBy(decided, run)) return true
  const isNew = ({ createdAt }: NodeView): boolean => createdAt > Date.parse(run.startedAt)
  // One that has lost its assignment, and runs the content, tries nothing.
  const tried = stepsOf(decided).filter(
    ({ node, digest }) => node.assigned === undefined && isNew(node) && node.status?.active !== digest,
  )
  const atIt = pool.nodes.filter((node) => isNew(node) && isAtIt(node, run))
  return tried.length === 0 || (tried.length === 1 && atIt.every((node) => isOverdue(node, decided)))
}

function isAtIt(node: NodeView, { fingerprint }: HistoryEntry): boolean {
  const { assigned, hold, leaving, assignedByHand } = node
  if (hold !== undefined || leaving || assignedByHand) return false
  return assigned !== undefined && fingerprint === fingerprintOf(assigned.digest) && !hasEnded(node) && !hasGivenUp(node)
}

/** Its agent could not even put it back. */
function hasGivenUp({ assigned, status }: NodeView): boolean {
  return status?.phase === 'Failed' && assigned !== undefined && status.assignedAt === stampOf(assigned)
}

/** Its work has had its time, also where it took the node down. How long ago a clock that was far ahead began it, nobody knows. */
function isOverdue({ assigned }: NodeView, { at, pool: { policy } }: Decided): boolean {
  const began = assigned?.at ?? 0
  return (
    began - at >= policy.applyTimeout ||
    at >= began + Math.min(policy.applyTimeout, policy.agentTimeout ?? Number.POSITIVE_INFINITY)
  )
}

function borneBy({ pool: { policy, nodes } }: Decided, { failures = 0 }: HistoryEntry): number {
  return Math.max(ofNodes(policy.maxFailures, nodes.length), failures)
}

function ofNodes(share: Share, nodes: number): number {
  return 'count' in share ? share.count : Math.floor((nodes * share.percent) / 100)
}

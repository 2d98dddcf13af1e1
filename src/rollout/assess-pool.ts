import { poolBlocker } from './blockers/pool-blocker.ts'
import { asideOf, isUnderDrain } from './drain/cordon.ts'
import { drainOf } from './drain/drain.ts'
import { progressUnder } from './drain/drain-progress.ts'
import type { DrainContext } from './drain/needs-drain.ts'
import { joinedAt } from './exposure/joining.ts'
import { ONE_WAVE, type WaveCandidate, waveMembership, wavesOf } from './exposure/waves.ts'
import { isApplied, reportOf } from './model/agent-report.ts'
import { type RolloutClock, wasDownBefore } from './model/deadlines.ts'
import type { Instant } from './model/instant.ts'
import { hasGoal, isInRollout, type ProgressContext, progressOf } from './model/node-progress.ts'
import type { NodeView } from './model/node-view.ts'
import type { WavePolicy } from './model/policy.ts'
import type { Member, PoolContext, PoolState } from './model/pool-state.ts'
import type { Memory, NodeTarget, PoolSnapshot } from './model/snapshot.ts'
import type { Reported } from './selection/budget.ts'
import { currentRollout } from './target/current-rollout.ts'
import { repairedWith } from './target/repair.ts'
import type { Rollout } from './target/rollout.ts'

export function assessPool(pool: PoolSnapshot, now: Instant): PoolState {
  const rollout = currentRollout(pool, now)
  const waves = rollout.proven ? ONE_WAVE : wavesOf(pool.policy)
  const open = rollout.state === 'Completed' ? waves.length : openWave(waves, rollout.memory.wave)
  const clock = clockOf({ pool, rollout, now })
  const goals = pool.nodes.map((node) => goalOf(node, { rollout, clock }))
  const waveOf =
    open < waves.length
      ? waveMembership(waves, { pool: pool.name, nodes: goals.flatMap((goal) => candidate(goal, pool)) })
      : NO_WAVES
  const blocker = remembered(() => poolBlocker({ pool, rollout, now }))
  const context = { pool, rollout, now, waves, open, blocker }
  const members = goals.map((goal) => memberOf({ goal, wave: stayingIn(open, goal, waveOf.get(goal.node.name)) }, context))
  return { pool, now, rollout, waves, open, members }
}

/** Windows are asked minute by minute, and few nodes need to know. */
function remembered<T>(work: () => T): () => T {
  let known: { readonly result: T } | undefined
  return () => {
    known ??= { result: work() }
    return known.result
  }
}

/** What was taken belongs to the open waves for good: when nodes leave and a percentage shrinks, they still wait for it. */
function stayingIn(open: number, goal: Goal, wave: number | undefined): number | undefined {
  return wave !== undefined && isAssignedInRollout(goal) ? Math.min(wave, open) : wave
}

/** By place and name, and by name alone when the policy was changed in the middle; else from the beginning. */
function openWave(waves: readonly WavePolicy[], remembered: Memory['wave']): number {
  if (!remembered) return 0
  const { index, name } = remembered
  if (waves[index - 1]?.name === name) return index - 1
  const named = waves.findIndex((wave) => wave.name === name)
  return Math.max(0, named)
}

const NO_WAVES: ReadonlyMap<string, number> = new Map()
const NOT_RENDERED: NodeTarget = { kind: 'problem', message: 'nothing was rendered for this node' }

/** A node on its way, before it is known which wave it goes in. */
interface Goal {
  readonly node: NodeView
  readonly revision: string
  readonly course: ProgressContext
  readonly assigned: boolean
  readonly broken: boolean
}

/** The same for all nodes of the pool. */
function clockOf({ pool: { policy, steadySince }, rollout, now }: PoolContext): RolloutClock {
  return {
    now,
    rolloutStart: rollout.startedAt,
    applyTimeout: policy.applyTimeout,
    ...(policy.agentTimeout !== undefined && { agentTimeout: policy.agentTimeout }),
    ...(steadySince !== undefined && { steadySince }),
  }
}

function goalOf(node: NodeView, { rollout, clock }: { readonly rollout: Rollout; readonly clock: RolloutClock }): Goal {
  const report = reportOf(node)
  const broken = isBroken({ node, report }, rollout)
  const joined = joinedAt(node, rollout)
  const { wanted, revision } = joined ?? repairedWith({ node, broken }, rollout) ?? rollout.target
  const course = { ...clock, report, wanted: wanted.get(node.name) ?? NOT_RENDERED, joins: joined !== undefined }
  return { node, revision, course, assigned: hasGoal(node, course), broken }
}

/**
 * Nodes on the stable content are no rollout's doing: after an outage, all of a zone would come back to an unproven
 * target at once.
 */
function isBroken({ node, report }: Reported, { stable }: Rollout): boolean {
  if (!node.assigned) return false
  const good = stable?.wanted.get(node.name)
  if (good?.kind === 'config' && good.digest === node.assigned.digest) return false
  return !node.ready || !isApplied(report)
}

function candidate(goal: Goal, pool: PoolSnapshot): WaveCandidate[] {
  const { node, course } = goal
  if (node.assignedByHand || node.hold !== undefined || course.wanted.kind === 'problem' || course.joins) return []
  const late = node.createdAt > course.rolloutStart
  const assignedAt = isAssignedInRollout(goal) ? node.assigned?.at : undefined
  return [
    { name: node.name, labels: node.labels, rank: rankOf(goal, pool), late, ...(assignedAt !== undefined && { assignedAt }) },
  ]
}

/** This run has given it the target. */
function isAssignedInRollout({ node, course, assigned }: Goal): boolean {
  return assigned && node.assigned !== undefined && isInRollout(node.assigned, course)
}

/**
 * Who comes first into a wave: those that this run has touched, so that no later change moves the exposure to others; then
 * those that are cordoned for it already; then those that change, the reachable first, since a node that is down or left out
 * proves nothing, and those that came since the run began after the others; last those that stay as they are, which prove
 * nothing either.
 */
function rankOf(goal: Goal, { policy }: PoolSnapshot): number {
  const { node, course, assigned, broken } = goal
  if (assigned && node.assigned && isAssignedInRollout(goal)) return wasDownBefore(node, node.assigned, course) ? 4 : 0
  if (assigned) return 5
  if (broken) return 0
  if (isUnderDrain(node)) return 1
  if (!node.ready || asideOf({ node, wanted: course.wanted, broken }, { policy, now: course.now })) return 4
  return node.createdAt > course.rolloutStart ? 3 : 2
}

function memberOf(
  { goal, wave }: { readonly goal: Goal; readonly wave: number | undefined },
  context: DrainContext & Pick<PoolState, 'waves'>,
): Member {
  const { node, revision, course, assigned, broken } = goal
  const { waves, open, now } = context
  const soak = wave !== undefined && wave >= open ? (waves[wave]?.soak ?? 0) : 0
  const progress = progressOf(node, { ...course, soak })
  const candidate = {
    node,
    report: course.report,
    revision,
    wanted: course.wanted,
    progress,
    assigned,
    broken,
    ...(wave !== undefined && { wave }),
  }
  const drain = drainOf(candidate, context)
  return drain ? { ...candidate, drain, progress: progressUnder(drain, { progress, ready: node.ready, now }) } : candidate
}

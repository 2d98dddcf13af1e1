import { poolRestraint } from './blockers/pool-blocker.ts'
import { asideOf, isUnderDrain } from './drain/cordon.ts'
import { drainOf } from './drain/drain.ts'
import { standingUnder } from './drain/drain-progress.ts'
import type { DrainContext } from './drain/needs-drain.ts'
import { joinedAt } from './exposure/joining.ts'
import { ONE_WAVE, type WaveCandidate, waveMembership, wavesOf } from './exposure/waves.ts'
import { isApplied, reportOf } from './model/agent-report.ts'
import { type RunClock, wasDownBefore } from './model/deadlines.ts'
import type { Instant } from './model/instant.ts'
import { type Course, hasGoal, isInRun, standingOf } from './model/node-progress.ts'
import type { NodeView } from './model/node-view.ts'
import type { WavePolicy } from './model/policy.ts'
import type { Circumstances, Member, Picture } from './model/pool-state.ts'
import type { Memory, PoolSnapshot, Wanted } from './model/snapshot.ts'
import type { Reported } from './selection/budget.ts'
import { currentRun } from './target/current-rollout.ts'
import { mendedWith } from './target/repair.ts'
import type { Run } from './target/rollout.ts'

export function lookAt(pool: PoolSnapshot, now: Instant): Picture {
  const run = currentRun(pool, now)
  const waves = run.proven ? ONE_WAVE : wavesOf(pool.policy)
  const open = run.state === 'Completed' ? waves.length : openWave(waves, run.memory.wave)
  const clock = clockOf({ pool, run, now })
  const goals = pool.nodes.map((node) => goalOf(node, { run, clock }))
  const waveOf =
    open < waves.length
      ? waveMembership(waves, { pool: pool.name, nodes: goals.flatMap((goal) => candidate(goal, pool)) })
      : NO_WAVES
  const restraint = remembered(() => poolRestraint({ pool, run, now }))
  const context = { pool, run, now, waves, open, restraint }
  const members = goals.map((goal) => memberOf({ goal, wave: stayingIn(open, goal, waveOf.get(goal.node.name)) }, context))
  return { pool, now, run, waves, open, members }
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
  return wave !== undefined && isTouched(goal) ? Math.min(wave, open) : wave
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
const NOT_RENDERED: Wanted = { kind: 'problem', message: 'nothing was rendered for this node' }

/** A node on its way, before it is known which wave it goes in. */
interface Goal {
  readonly node: NodeView
  readonly revision: string
  readonly course: Course
  readonly assigned: boolean
  readonly broken: boolean
}

/** The same for all nodes of the pool. */
function clockOf({ pool: { policy, steadySince }, run, now }: Circumstances): RunClock {
  return {
    now,
    runStart: run.startedAt,
    applyTimeout: policy.applyTimeout,
    ...(policy.agentTimeout !== undefined && { agentTimeout: policy.agentTimeout }),
    ...(steadySince !== undefined && { steadySince }),
  }
}

function goalOf(node: NodeView, { run, clock }: { readonly run: Run; readonly clock: RunClock }): Goal {
  const report = reportOf(node)
  const broken = isBroken({ node, report }, run)
  const joined = joinedAt(node, run)
  const { wanted, revision } = joined ?? mendedWith({ node, broken }, run) ?? run.target
  const course = { ...clock, report, wanted: wanted.get(node.name) ?? NOT_RENDERED, joins: joined !== undefined }
  return { node, revision, course, assigned: hasGoal(node, course), broken }
}

/**
 * Nodes on the stable content are no roll-out's doing: after an outage, all of a zone would come back to an unproven
 * target at once.
 */
function isBroken({ node, report }: Reported, { stable }: Run): boolean {
  if (!node.assigned) return false
  const good = stable?.wanted.get(node.name)
  if (good?.kind === 'config' && good.digest === node.assigned.digest) return false
  return !node.ready || !isApplied(report)
}

function candidate(goal: Goal, pool: PoolSnapshot): WaveCandidate[] {
  const { node, course } = goal
  if (node.assignedByHand || node.hold !== undefined || course.wanted.kind === 'problem' || course.joins) return []
  const late = node.createdAt > course.runStart
  const takenAt = isTouched(goal) ? node.assigned?.at : undefined
  return [{ name: node.name, labels: node.labels, rank: rankOf(goal, pool), late, ...(takenAt !== undefined && { takenAt }) }]
}

/** This run has given it the target. */
function isTouched({ node, course, assigned }: Goal): boolean {
  return assigned && node.assigned !== undefined && isInRun(node.assigned, course)
}

/**
 * Who comes first into a wave: those that this run has touched, so that no later change moves the exposure to others; then
 * those that are cordoned for it already; then those that change, the reachable first, since a node that is down or left out
 * proves nothing, and those that came since the run began after the others; last those that stay as they are, which prove
 * nothing either.
 */
function rankOf(goal: Goal, { policy }: PoolSnapshot): number {
  const { node, course, assigned, broken } = goal
  if (assigned && node.assigned && isTouched(goal)) return wasDownBefore(node, node.assigned, course) ? 4 : 0
  if (assigned) return 5
  if (broken) return 0
  if (isUnderDrain(node)) return 1
  if (!node.ready || asideOf({ node, wanted: course.wanted, broken }, { policy, now: course.now })) return 4
  return node.createdAt > course.runStart ? 3 : 2
}

function memberOf(
  { goal, wave }: { readonly goal: Goal; readonly wave: number | undefined },
  context: DrainContext & Pick<Picture, 'waves'>,
): Member {
  const { node, revision, course, assigned, broken } = goal
  const { waves, open, now } = context
  const soak = wave !== undefined && wave >= open ? (waves[wave]?.soak ?? 0) : 0
  const standing = standingOf(node, { ...course, soak })
  const candidate = {
    node,
    report: course.report,
    revision,
    wanted: course.wanted,
    standing,
    assigned,
    broken,
    ...(wave !== undefined && { wave }),
  }
  const drain = drainOf(candidate, context)
  return drain ? { ...candidate, drain, standing: standingUnder(drain, { standing, ready: node.ready, now }) } : candidate
}

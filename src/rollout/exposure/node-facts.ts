import { isApplied, isReplayed, reportOf } from '../model/agent-report.ts'
import type { Reported } from '../model/availability.ts'
import type { RolloutClock } from '../model/deadlines.ts'
import type { Instant } from '../model/instant.ts'
import type { NodeProgress } from '../model/node-progress.ts'
import type { NodeView } from '../model/node-view.ts'
import type { RolloutPolicy } from '../model/policy.ts'
import { progressWhenAssigned } from '../model/progress-when-assigned.ts'
import { hasFailedProof } from '../model/proof.ts'
import type { Rollout } from '../model/rollout.ts'
import type { NodeTarget, Revision } from '../model/snapshot.ts'
import { hasWantedAssignment, isAssigned, isInRollout } from '../model/wanted-assignment.ts'
import { commitsOf } from '../target/history.ts'
import { type Condition, conditionOf } from './condition.ts'
import { isJoining } from './joining.ts'
import { validUntil } from './valid-until.ts'
import { placeOf, rankOf, sinceOf } from './wave-order.ts'
import type { PlacedCandidate } from './waves.ts'

/** What the rule of exposure looks at, for one node. */
export interface NodeFacts extends Reported, PlacedCandidate {
  readonly target: NodeTarget
  readonly condition: Condition
  /** It is assigned the stable content, or runs what the pool has run through before: an outage then is no rollout's doing. */
  readonly isOnProven: boolean
  /** It is assigned the target, and need not be again. */
  readonly assigned: boolean
  /** The target is other content than the stable revision: only such a node proves anything. */
  readonly changes: boolean
  /** It has the target from an earlier try of it, which did not complete, and has not failed with it. */
  readonly wasTried: boolean
  /** A young node that serves nobody yet; it gets the stable content at once. */
  readonly joins: boolean
  /** The waves divide it. */
  readonly isCounted: boolean
  /** What the node is to become at the stable revision, if there is one. */
  readonly stable: NodeTarget | undefined
  /** Until then time alone changes nothing about the node. Not later than the present: they are good for this pass alone. */
  readonly validUntil: Instant
}

export interface FactsContext {
  /** Name of the pool. */
  readonly pool: string
  readonly rollout: Rollout
  readonly clock: RolloutClock
  readonly policy: RolloutPolicy
  /** The nodes are divided among waves: then the place of each counts. */
  readonly isDivided: boolean
}

const NOT_RENDERED: NodeTarget = { kind: 'problem', message: 'no configuration was rendered for this node' }

/** Literals of one shape: one is made for each node in each pass. */
export function factsOf(node: NodeView, { pool, rollout, clock, policy, isDivided }: FactsContext): NodeFacts {
  const report = reportOf(node)
  const target = targetFor(node, rollout.target)
  const stable = rollout.stable && targetFor(node, rollout.stable)
  const assigned = hasWantedAssignment(node, { report, wanted: target }, clock)
  const changes = stable?.kind !== 'config' || target.kind !== 'config' || stable.digest !== target.digest
  const isOnTarget = assigned && rollout.state !== 'Halted'
  const isOnProven = isAssigned(node, stable) || hasCompleted({ node, report }, { pool, rollout })
  const condition = conditionOf({ node, report, isOnTarget, isOnProven }, clock)
  const hasTarget = isAssigned(node, target)
    ? changes && isOfRollout(node, { rollout, clock })
    : hasFormerContent(node, { stable, pool, rollout, clock })
  const isRefused = hasTarget && runsAnother({ node, report }, target)
  const isExposed = hasTarget && !isRefused
  const tried = changes ? progressOfTried({ node, report, target }, { pool, rollout, clock, policy }) : undefined
  const wasTried = tried !== undefined && tried.phase !== 'Failed'
  const subject = { node, report, target, stable, condition, assigned, isExposed, isRefused, wasTried, changes }
  const rank = isDivided ? rankOf(subject, { policy, clock }) : 0
  const joins = isJoining(node, { target, stable, clock })
  return {
    node,
    report,
    target,
    condition,
    isOnProven,
    assigned,
    isExposed,
    wasTried,
    changes,
    name: node.name,
    labels: node.labels,
    rank,
    place: isDivided ? placeOf(subject, { clock }) : 'Sound',
    since: sinceOf(subject, rank),
    joins,
    isCounted: !joins && isCounted(subject),
    stable,
    validUntil: Math.min(
      validUntil({ node, report }, clock),
      tried ? triedUntil(tried, { node, now: clock.now }) : Number.POSITIVE_INFINITY,
    ),
  }
}

/** Where the pool has not begun, another one assigned it: its stamp may still be ahead. */
function isOfRollout({ assigned }: NodeView, { rollout, clock }: Pick<FactsContext, 'rollout' | 'clock'>): boolean {
  return rollout.state !== 'Blocked' && assigned !== undefined && isInRollout(assigned, clock)
}

/** The host refuses what it is assigned, an older assignment of this rollout, and runs other content, which it has accepted since. */
function runsAnother({ node, report }: Reported, target: NodeTarget): boolean {
  const { assigned, status: { active } = {} } = node
  if (!isReplayed(report) || active === undefined || active === assigned?.digest) return false
  return target.kind === 'config' && active !== target.digest
}

/** It runs what a rollout that completed assigned it. A newer one may have passed it by: it was down, say, or cordoned. */
function hasCompleted({ node, report }: Reported, { pool, rollout }: Pick<FactsContext, 'pool' | 'rollout'>): boolean {
  const { assigned } = node
  if (assigned?.pool !== pool || !isApplied(report) || hasFailedProof(node, report)) return false
  return rollout.completed.has(assigned.revision)
}

/** This rollout assigned it the target as that was before its labels changed. */
function hasFormerContent(
  node: NodeView,
  { stable, pool, rollout, clock }: Pick<NodeFacts, 'stable'> & Pick<FactsContext, 'pool' | 'rollout' | 'clock'>,
): boolean {
  if (node.assigned?.pool !== pool || !isOfRollout(node, { rollout, clock }) || isAssigned(node, stable)) return false
  const [entry] = rollout.memory.history
  return entry !== undefined && commitsOf(entry).includes(node.assigned.revision)
}

/**
 * How far the node is with the target that it has from an earlier try; undefined: it has none from there. By the longest soak: what failed it then
 * fails it now, and is no answer to this try.
 */
function progressOfTried(
  { node, report, target }: Reported & Pick<NodeFacts, 'target'>,
  { pool, rollout, clock, policy }: Omit<FactsContext, 'isDivided'>,
): NodeProgress | undefined {
  const { assigned } = node
  const { triedSince } = rollout
  if (triedSince === undefined || assigned?.pool !== pool || target.kind !== 'config' || !isAssigned(node, target))
    return undefined
  if (!isInRollout(assigned, { rolloutStart: triedSince })) return undefined
  const soak = Math.max(0, ...policy.waves.map((wave) => wave.soak))
  return progressWhenAssigned({ node, report, assigned, wanted: target, context: { ...clock, soak } })
}

/** A pressure counts by the clock of its kubelet: any instant may change what it says of the soak. */
function triedUntil({ until }: NodeProgress, { node, now }: Pick<NodeFacts, 'node'> & Pick<RolloutClock, 'now'>): Instant {
  return node.pressures === undefined ? (until ?? Number.POSITIVE_INFINITY) : now
}

/**
 * Nodes that people keep, that are being deleted, that join or cannot be rendered belong to no wave. One that was exposed before it was held, or
 * its labels were changed, keeps its place: else each canary to which that happens would expose another node.
 */
function isCounted({ node, target, isExposed }: Pick<NodeFacts, 'node' | 'target' | 'isExposed'>): boolean {
  if (node.assignedByHand || node.leaving) return false
  return isExposed || (target.kind === 'config' && node.hold === undefined)
}

/** At work on a commit that is neither the target nor stable: a fix need not wait until that work ends. */
export function isAtSuperseded({ node, stable, condition, changes }: NodeFacts): boolean {
  return condition === 'InFlight' && changes && !isAssigned(node, stable)
}

/** What a node is to become at a revision. */
export function targetFor({ name }: NodeView, { wanted }: Revision): NodeTarget {
  return wanted.get(name) ?? NOT_RENDERED
}

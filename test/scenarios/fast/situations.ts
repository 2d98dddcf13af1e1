import { ASSIGNMENT_LOST, ASSIGNMENT_REPLAYED } from '../../../src/protocol/agent-status.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import { contentOf, digestFor, fingerprintOf } from './content.ts'
import type { Observed } from './controller.ts'
import { type Decided, decidedPools, hasEnded, type Step, stepsOf } from './invariants/steps.ts'

const HOUR = 3_600_000

/** Something that once went wrong, or may. Stories that never come there prove nothing about it. */
const SITUATIONS: Readonly<Record<string, (decided: Decided, observed: Observed) => boolean>> = {
  'manual first wave waits': (decided) => says(decided, 'WaitingForPromotion') && isInFirstWave(decided),
  'commit supersedes work in a pool with a canary': (decided) =>
    isInFirstWave(decided) && decided.pool.nodes.some((node) => isAtAnother(node, decided) && !hasEnded(node)),
  'broken node gets the target': (decided) => stepsOf(decided).some((step) => isDownStep(step) && isOf(step, 'target', decided)),
  'broken node gets the stable content': (decided) =>
    stepsOf(decided).some((step) => isDownStep(step) && isOf(step, 'stable', decided) && !isOf(step, 'target', decided)),
  'node is down for a moment while a canary is out': (decided) =>
    isInFirstWave(decided) && decided.pool.nodes.some(({ ready, readySince }) => !ready && decided.at - readySince < 10_000),
  'node that served before waits for a window': (decided) =>
    says(decided, 'WaitingForWindow') && decided.pool.nodes.some((node) => isAdopted(node, decided)),
  'node is about to be deleted amid a rollout': (decided) =>
    says(decided, 'RollingOut') && decided.pool.nodes.some(({ leaving }) => leaving),
  'cordoned node changes': (decided) => stepsOf(decided).some(({ node }) => node.unschedulable && node.mark === undefined),
  'equal commit arrives at a stopped fleet': (decided) => says(decided, 'FleetStopped') && isRenamed(decided),
  'promotion outlasts an equal commit': ({ pool, decision: { status } }) =>
    status.promotion?.fingerprint === pool.head.fingerprint && status.promotion.value !== pool.head.revision,
  'pool goes back while another one goes forward under a cap': (decided, { fleet, decisions }) =>
    fleet.policy.maxUnavailable !== undefined &&
    (says(decided, 'RollingBack') || decided.decision.status.rollback !== undefined) &&
    [...decisions.values()].some(({ status }) => status.conditions[0]?.reason === 'RollingOut'),
  'node of no pool is at work': (_, { fleet }) =>
    (fleet.strays ?? []).some((node) => node.assigned !== undefined && !hasEnded(node)),
  'node fails by pressure in its soak': ({ decision: { status } }) =>
    status.failed.some(({ reason }) => reason.endsWith('Pressure')),
  'agent is silent': ({ decision: { status } }) => status.failed.some(({ reason }) => reason === 'AgentSilent'),
  'clock of a node is ahead in a soak': ({ pool, decision: { status }, at }) =>
    (status.nodes.byPhase.Soaking ?? 0) > 0 && pool.nodes.some((node) => Date.parse(node.status?.since ?? '') > at),
  'nodes went down with what completed': (decided) => says(decided, 'NodesDown'),
  'machine that failed after completion was replaced': ({ decision: { status } }) =>
    status.history[0]?.laterFailures?.replaced !== undefined,
  'machine that a rollout under way had broken was replaced': ({ pool, decision: { status } }) =>
    status.history.some(({ message, losses }) => message?.includes('replaced after') || (losses?.replaced.length ?? 0) > 0) &&
    (pool.memory.history[0]?.losses?.nodes.length ?? 0) > 0,
  'content that the pool went back from comes again': ({ decision: { status } }) => {
    const [run, ...older] = status.history
    return older.some(({ abandoned, fingerprint }) => abandoned && fingerprint === run?.fingerprint)
  },
  'nodes that failed try a completed commit once more': ({ decision: { status } }) => status.history[0]?.retriedAt !== undefined,
  'new node waits for another one that tries the content': ({ decision: { status } }) =>
    status.conditions.some(({ reason, message }) => reason === 'NodesFailed' && message.includes('one at a time')),
  'labels of a node change amid its work': ({ pool }) => pool.nodes.some((node) => isRelabelled(node) && !hasEnded(node)),
  'labels of a failed node change': ({ pool }) =>
    pool.nodes.some((node) => isRelabelled(node) && ['RolledBack', 'Failed'].includes(node.status?.phase ?? '')),
  'labels of a node change in its soak': ({ pool, decision: { status } }) =>
    (status.nodes.byPhase.Soaking ?? 0) > 0 && pool.nodes.some(isRelabelled),
  'labels of a node change after completion': ({ pool, decision: { status } }) =>
    status.history[0]?.result === 'Completed' && pool.nodes.some(isRelabelled),
  'node that the rollout took down gets other content': ({ decision: { actions } }) =>
    actions.some((action) => action.kind === 'assign' && action.nodeWas === 'Disturbed'),
  'node that was taken down, and whose labels changed, stops the commit': ({ pool, decision: { status } }) =>
    status.rejected.some(
      ({ fingerprint }) =>
        pool.memory.rejected.every((known) => known.fingerprint !== fingerprint) &&
        pool.nodes.some(({ assigned }) => assigned?.nodeWas === 'Disturbed' && fingerprintOf(assigned.digest) === fingerprint),
    ),
  'wave has lost the nodes of its label': ({ decision: { status } }) =>
    status.conditions.some(({ reason, message }) => reason === 'NoEligibleNode' && message.includes('no node is left that wave')),
  'commit that has failed is retried': ({ pool, decision: { status } }) =>
    pool.memory.rejected.some(({ fingerprint }) => fingerprint === pool.head.fingerprint) &&
    status.rejected.every(({ fingerprint }) => fingerprint !== pool.head.fingerprint),
  'node that failed before a retry fails on as it was': (decided) => hasFailedBefore(decided),
  'later wave is open after a retry, and a node has failed before': (decided) =>
    (decided.decision.status.wave?.index ?? 0) > 1 && hasFailedBefore(decided),
  'node runs another version than it is to': ({ decision: { status } }) =>
    status.failed.some(({ reason }) => reason === 'VersionMismatch'),
  'older assignment comes back': ({ pool }) => pool.nodes.some(({ status }) => status?.error?.reason === ASSIGNMENT_REPLAYED),
  'assignment is lost': ({ pool }) => pool.nodes.some(({ status }) => status?.error?.reason === ASSIGNMENT_LOST),
  'rollout is traced by its nodes': ({ pool: { memory, nodes, name }, decision: { status } }) => {
    const [run] = status.history
    const began = Date.parse(run?.startedAt ?? '')
    const isOlder = run?.result === 'Running' && memory.history.length > 0 && memory.history[0]?.startedAt !== run.startedAt
    return isOlder && nodes.some(({ assigned }) => assigned?.pool === name && assigned.at === began)
  },
  'pause stops a drain': ({ pool: { controls }, decision: { actions } }, { fleet }) =>
    [controls, fleet.controls].some(({ paused, stopDrains }) => paused !== undefined && stopDrains) &&
    actions.some((action) => action.kind === 'uncordon' && action.lifts),
  'gate has no record of what was so before its wave': ({ decision: { status } }) =>
    status.conditions.some(({ message }) => message.includes('unknown before')),
  'drain is blocked': (decided) => says(decided, 'DrainBlocked'),
  'pools wait for each other': ({ decision: { status } }) =>
    status.conditions.some(
      ({ reason, message }) => reason === 'WaitingForBudget' && message.includes('maxUnavailable of the Fleet'),
    ),
  'pool waits for another one': (decided) => says(decided, 'WaitingForDependency'),
}

const ENTRIES = Object.entries(SITUATIONS)

export const SITUATION_NAMES: readonly string[] = Object.keys(SITUATIONS)

/** Adds those that the decision is in. */
export function noteSituations(observed: Observed, reached: Set<string>): void {
  if (!observed.isNews) return
  for (const decided of decidedPools(observed))
    for (const [name, holds] of ENTRIES) if (!reached.has(name) && holds(decided, observed)) reached.add(name)
}

function says({ decision: { status } }: Decided, reason: string): boolean {
  return status.conditions.some((condition) => condition.reason === reason)
}

function isInFirstWave({ pool: { policy }, decision: { status } }: Decided): boolean {
  return status.wave?.index === 1 && status.wave.count > 1 && policy.waves.length > 0
}

function isAtAnother({ assigned }: NodeView, { decision: { status } }: Decided): boolean {
  const known = [status.target?.fingerprint, status.stable?.fingerprint]
  return assigned !== undefined && !known.includes(fingerprintOf(assigned.digest))
}

function isDownStep({ node }: Step): boolean {
  return !node.ready && node.assigned !== undefined
}

/** What it is assigned was rendered for other labels. */
function isRelabelled({ assigned, labels }: NodeView): boolean {
  return assigned !== undefined && assigned.digest !== digestFor(contentOf(assigned.digest), labels)
}

/** It has what the run under way is about, of an earlier run that failed. */
function hasFailedBefore({ pool: { nodes }, decision: { status } }: Decided): boolean {
  const { failed, history } = status
  const [run, ...older] = history
  if (run?.result !== 'Running' || !older.some(({ fingerprint }) => fingerprint === run.fingerprint)) return false
  const names = new Set(failed.map(({ node }) => node))
  const isEarlier = ({ assigned }: NodeView): boolean => (assigned?.at ?? Number.POSITIVE_INFINITY) < Date.parse(run.startedAt)
  return nodes.some(
    (node) => names.has(node.name) && isEarlier(node) && fingerprintOf(node.assigned?.digest ?? '') === run.fingerprint,
  )
}

function isOf({ digest }: Step, which: 'target' | 'stable', { decision: { status } }: Decided): boolean {
  return status[which]?.fingerprint === fingerprintOf(digest)
}

function isAdopted({ assigned, ready, createdAt }: NodeView, { at }: Decided): boolean {
  return assigned === undefined && ready && at - createdAt > HOUR
}

function isRenamed({ pool, decision: { status } }: Decided): boolean {
  const [run] = status.history
  return run?.fingerprint === pool.head.fingerprint && run.revision !== pool.head.revision
}

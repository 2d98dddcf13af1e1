import { isDeepStrictEqual } from 'node:util'
import { decide } from '../../src/rollout/decide.ts'
import type { Instant, NodeView, PoolSnapshot } from '../../src/rollout/snapshot.ts'
import type { Observed } from './world.ts'

/** What must hold of every decision, whatever led to it. @throws naming what does not. */
export function checkDecision(observed: Observed): void {
  for (const [claim, holds] of Object.entries(CLAIMS)) if (!holds(observed)) throw new Error(claim)
}

const CLAIMS: Readonly<Record<string, (observed: Observed) => boolean>> = {
  'the budget is kept': keepsBudget,
  'a halted or paused pool touches no node': leavesStoppedPoolsAlone,
  'content that failed is given to nobody': givesNothingRejected,
  'the canary wave alone sees what is not proven': keepsToTheCanary,
  'the status is a fixpoint': isFixpoint,
  'the order of the nodes does not matter': ignoresOrder,
  'the next pass is later': wakesLater,
  'each node is assigned once, and not what it has': assignsOnce,
}

interface Step {
  readonly node: NodeView
  readonly digest: string
}

function steps({ pool, decision }: Observed): Step[] {
  const byName = new Map(pool.nodes.map((node) => [node.name, node]))
  return decision.actions.flatMap((action) => {
    const node = action.kind === 'assign' ? byName.get(action.node) : undefined
    return node && action.kind === 'assign' ? [{ node, digest: action.digest }] : []
  })
}

/** Told anew here, or a mistake in the rule itself would go unseen. */
function isDown(node: NodeView): boolean {
  return !node.ready || node.unschedulable || (node.assigned !== undefined && !hasEnded(node))
}

function hasEnded({ assigned, status }: NodeView): boolean {
  if (!assigned || !status || status.assigned !== assigned.digest) return false
  const speaksOfIt = status.assignedAt === new Date(assigned.at ?? 0).toISOString()
  return speaksOfIt && (status.phase === 'Applied' || status.phase === 'RolledBack')
}

function isUndisturbed(node: NodeView, digest: string): boolean {
  return hasEnded(node) && node.status?.active === digest
}

function allowed({ policy, nodes }: PoolSnapshot): number {
  const { maxUnavailable: share } = policy
  return 'count' in share ? share.count : Math.max(1, Math.floor((nodes.length * share.percent) / 100))
}

/** Nodes that join a pool with something proven to give them are outside the budget, and so are those that nothing disturbs. */
function keepsBudget(observed: Observed): boolean {
  const { nodes } = observed.pool
  const hasStable = observed.decision.status.stable !== undefined
  const down = nodes.filter(isDown).length
  const newlyDown = steps(observed).filter(
    ({ node, digest }) => !isDown(node) && !(hasStable && !node.assigned) && !isUndisturbed(node, digest),
  ).length
  return newlyDown === 0 || down + newlyDown <= allowed(observed.pool)
}

function leavesStoppedPoolsAlone(observed: Observed): boolean {
  const { pool, decision } = observed
  const halted = decision.status.conditions.some(
    ({ type, status, reason }) => type === 'Stalled' && status === 'True' && reason === 'Halted',
  )
  return !(halted || pool.controls.paused !== undefined) || steps(observed).length === 0
}

function givesNothingRejected(observed: Observed): boolean {
  const rejected = new Set(observed.decision.status.rejected.map(({ fingerprint }) => fingerprint))
  return steps(observed).every(({ digest }) => !rejected.has(`of ${digest}`))
}

/** Broken nodes may come on top: what an unfinished roll-out has spoilt gets the new content at once. */
function keepsToTheCanary(observed: Observed): boolean {
  const { pool, decision } = observed
  const { status } = decision
  const canary = pool.policy.waves[0]
  if (!canary || !('count' in canary.nodes) || status.wave?.name !== canary.name) return true
  const content = status.target?.fingerprint.slice('of '.length)
  const stable = status.stable?.fingerprint.slice('of '.length)
  const began = Date.parse(status.history[0]?.startedAt ?? '')
  const exposed = pool.nodes.filter((node) => isExposed(node, { content, began })).length
  const added = steps(observed).filter(({ node, digest }) => node.ready && digest === content && isSound(node, stable)).length
  return added === 0 || exposed + added <= canary.nodes.count
}

/** A node that was down when it was assigned takes nobody's place, nor does one that a person holds. */
function isExposed(
  { assigned, hold, ready, readySince }: NodeView,
  { content, began }: { readonly content: string | undefined; readonly began: Instant },
): boolean {
  if (!assigned || assigned.digest !== content || hold !== undefined) return false
  const at = assigned.at ?? 0
  return at >= began && (ready || readySince + 1000 > at)
}

function isSound(node: NodeView, stable: string | undefined): boolean {
  return (
    node.assigned === undefined ||
    node.assigned.digest === stable ||
    (node.ready && hasEnded(node) && node.status?.phase === 'Applied')
  )
}

function isFixpoint({ pool, decision, at }: Observed): boolean {
  const again = decide({ ...pool, memory: decision.status }, at)
  return isDeepStrictEqual(again.status, decision.status) && again.notices.length === 0
}

function ignoresOrder({ pool, decision, at }: Observed): boolean {
  return isDeepStrictEqual(decide({ ...pool, nodes: pool.nodes.toReversed() }, at), decision)
}

function wakesLater({ decision, at }: Observed): boolean {
  return decision.wakeAt === undefined || decision.wakeAt > at
}

function assignsOnce(observed: Observed): boolean {
  const all = steps(observed)
  return new Set(all.map(({ node }) => node.name)).size === all.length && all.every(isNews)
}

function isNews({ node, digest }: Step): boolean {
  return node.assigned?.digest !== digest || !(hasEnded(node) && node.status?.phase === 'Applied')
}

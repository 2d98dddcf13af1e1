import { REBOOTING } from '../../src/protocol/agent-status.ts'
import { isSameOrder } from '../../src/protocol/reboot-order.ts'
import type { RolloutPolicy, Share } from '../../src/rollout/model/policy.ts'
import type { Scope } from './scope.ts'
import { commitsOf, fingerprintOf } from './snapshot.ts'
import { bootId, isReady, isToReboot, type NodeState, type PoolState, type State } from './state.ts'

/** One pool before and after a pass. */
export interface PoolStep {
  readonly before: PoolState
  readonly after: PoolState
  readonly policy: RolloutPolicy
  readonly nodes: readonly { readonly before: NodeState; readonly after: NodeState }[]
}

interface Claim {
  readonly claim: string
  readonly holds: (step: PoolStep) => boolean
}

const CLAIMS: readonly Claim[] = [
  { claim: 'no more sound nodes get an unproven content than the open waves have places', holds: keepsExposure },
  { claim: 'a node gets the target or the stable content, and nothing else', holds: givesKnownContent },
  { claim: 'a manual wave begins only when an operator has promoted this rollout', holds: keepsPromotion },
  { claim: 'content that was rejected is not assigned', holds: keepsRejection },
  { claim: 'no more nodes of a pool are unavailable than maxUnavailable when another one is assigned', holds: keepsBudget },
  { claim: 'a paused pool assigns nothing', holds: keepsPause },
  {
    claim: 'a machine is ordered to reboot in a pool that has completed its commit, and once for each request',
    holds: ordersOnce,
  },
]

/** @returns the first claim that a pass breaks */
export function brokenClaim(before: State, after: State, scope: Scope): string | undefined {
  if (!assignsAnything(before, after)) return undefined
  const steps = after.pools.flatMap((pool): PoolStep[] => {
    const [old, settings] = [before.pools.find(({ name }) => name === pool.name), scope.pools.get(pool.name)]
    const nodes = after.nodes.flatMap((node) => {
      const known = before.nodes.find(({ name }) => name === node.name)
      return known && node.pool === pool.name ? [{ before: known, after: node }] : []
    })
    return old && settings ? [{ before: old, after: pool, policy: settings.policy, nodes }] : []
  })
  for (const step of steps) for (const { claim, holds } of CLAIMS) if (!holds(step)) return `${step.after.name}: ${claim}`
  return keepsFleetBudget(steps, scope)
    ? undefined
    : 'no more nodes of the fleet are unavailable than its maxUnavailable when another one is assigned'
}

/**
 * Operators' promotions count for one rollout: until its content is rejected, or the pool goes elsewhere. One that is written together with
 * the retry is of the next rollout, so what counts is what a pass leaves rejected.
 */
export function withPromotions(before: State, state: State, scope: Scope): State {
  const head = commitsOf(scope)[state.head]?.name
  const pools = state.pools.map((pool): PoolState => {
    const { promoted, ...rest } = pool
    const { target, rejected } = pool.memory
    if (promoted === undefined) return pool
    const isDecided = pool.memory !== before.pools.find(({ name }) => name === pool.name)?.memory
    const isOver = isDecided && rejected.some(({ fingerprint }) => fingerprint === fingerprintOf(promoted))
    return isOver || (promoted !== head && target?.fingerprint !== fingerprintOf(promoted)) ? rest : pool
  })
  return pools.every((pool, index) => pool === state.pools[index]) ? state : { ...state, pools }
}

/** Every claim is about nodes that are assigned something. */
function assignsAnything(before: State, after: State): boolean {
  return after.nodes.some(({ name, assigned }) => assigned !== before.nodes.find((node) => node.name === name)?.assigned)
}

function newlyAssigned({ nodes }: PoolStep): PoolStep['nodes'] {
  return nodes.filter(({ before, after }) => before.assigned !== after.assigned)
}

function isUnproven({ after: { memory } }: PoolStep, digest: string): boolean {
  return memory.stable?.fingerprint !== fingerprintOf(digest) && memory.target?.fingerprint === fingerprintOf(digest)
}

function keepsExposure(step: PoolStep): boolean {
  const { wave, target, history } = step.after.memory
  const added = newlyAssigned(step).filter(({ after }) => after.wasSound && isUnproven(step, after.assigned?.digest ?? ''))
  if (added.length === 0) return true
  const began = Date.parse(history[0]?.startedAt ?? '')
  const exposed = step.nodes.filter(({ after: { assigned, held, wasSound } }) => {
    const isTarget = assigned !== undefined && fingerprintOf(assigned.digest) === target?.fingerprint
    return isTarget && wasSound && !held && (assigned.at ?? 0) >= began
  })
  return exposed.length <= placesOf(step, wave)
}

/** Of the open waves together. A rollout to what the pool has completed before has one wave of all. */
function placesOf({ policy, nodes }: PoolStep, wave: { readonly index: number; readonly count: number } | undefined): number {
  if (!wave || wave.count === 1 || wave.index > policy.waves.length) return nodes.length
  return policy.waves.slice(0, wave.index).reduce((sum, { nodes: size }) => sum + sizeOf(size, nodes.length), 0)
}

function sizeOf(size: RolloutPolicy['waves'][number]['nodes'], total: number): number {
  if ('matchLabels' in size) return total
  return 'count' in size ? size.count : Math.max(1, Math.floor((total * size.percent) / 100))
}

function givesKnownContent(step: PoolStep): boolean {
  const { target, stable } = step.after.memory
  const known = [target?.fingerprint, stable?.fingerprint, step.before.memory.stable?.fingerprint]
  return newlyAssigned(step).every(({ after }) => known.includes(fingerprintOf(after.assigned?.digest ?? '')))
}

function keepsPromotion(step: PoolStep): boolean {
  const { wave, target } = step.after.memory
  const isManual = step.policy.waves.slice(0, wave?.index ?? 0).some(({ manual }) => manual)
  if (!isManual || wave?.count === 1) return true
  const { promoted } = step.before
  if (promoted !== undefined && fingerprintOf(promoted) === target?.fingerprint) return true
  return newlyAssigned(step).every(({ after }) => !isUnproven(step, after.assigned?.digest ?? ''))
}

function keepsRejection(step: PoolStep): boolean {
  const rejected = step.after.memory.rejected.map(({ fingerprint }) => fingerprint)
  return newlyAssigned(step).every(({ after }) => !rejected.includes(fingerprintOf(after.assigned?.digest ?? '')))
}

function keepsPause(step: PoolStep): boolean {
  return step.before.controls.paused === undefined || newlyAssigned(step).length === 0
}

function ordersOnce(step: PoolStep): boolean {
  return newlyAssigned(step).every(({ before, after }) => {
    const order = after.assigned?.reboot
    if (order === undefined) return true
    const isDone = isSameOrder(order, before.assigned?.reboot)
    return step.after.memory.history[0]?.result === 'Completed' && order.boot === bootId(before) && !isDone
  })
}

function keepsBudget(step: PoolStep): boolean {
  if (newlyDown(step).length === 0) return true
  return step.nodes.filter(spendsPlace).length <= allowed(step.policy.maxUnavailable, step.nodes.length)
}

function keepsFleetBudget(steps: readonly PoolStep[], { fleet: { maxUnavailable } }: Scope): boolean {
  if (maxUnavailable === undefined || steps.every((step) => newlyDown(step).length === 0)) return true
  const nodes = steps.flatMap((step) => step.nodes)
  return nodes.filter(spendsPlace).length <= allowed(maxUnavailable, nodes.length)
}

/** One that joins needs no place for what it gets first: it serves nobody yet. */
function spendsPlace({ before, after }: PoolStep['nodes'][number]): boolean {
  return isUnavailable(after) && !(before.assigned === undefined && !isUnavailable(before))
}

/** Nodes that serve, and whose next work disturbs them. A node that was never assigned anything serves nobody yet. */
function newlyDown(step: PoolStep): PoolStep['nodes'] {
  return newlyAssigned(step).filter(
    ({ before, after }) => before.assigned !== undefined && !isUnavailable(before) && isDisturbed(after),
  )
}

function isDisturbed(node: NodeState): boolean {
  return node.active !== node.assigned?.digest || isToReboot(node)
}

/** Until its agent has ended the work, a reboot's included, a node has its place in the budget. */
function isUnavailable(node: NodeState): boolean {
  if (!isReady(node) || node.unschedulable) return true
  if (!isDisturbed(node) && node.status?.error?.reason !== REBOOTING) return false
  return node.assigned !== undefined && !hasEnded(node)
}

function hasEnded({ assigned, status }: NodeState): boolean {
  const isAboutIt = status?.assigned === assigned?.digest && status?.assignedAt === new Date(assigned?.at ?? 0).toISOString()
  return isAboutIt && status?.error?.reason !== REBOOTING
}

function allowed(share: Share, total: number): number {
  return 'count' in share ? share.count : Math.max(1, Math.floor((total * share.percent) / 100))
}

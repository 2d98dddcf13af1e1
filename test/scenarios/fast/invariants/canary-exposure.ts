import type { Instant } from '../../../../src/rollout/model/instant.ts'
import type { NodeView } from '../../../../src/rollout/model/node-view.ts'
import type { Invariant } from '../invariants.ts'
import { doesNotServe, wasUnsoundWhenAssigned } from '../sim-node.ts'
import { type Decided, decidedPools, hasEnded, stepsOf } from './steps.ts'

/** Of unsound nodes as many may be tried as the wave has places, and no more of sound ones than that are ever exposed. */
export const canaryExposure: Invariant = {
  claim: 'the canary wave alone sees what is not proven, and nobody does before the first wave opens',
  ofDecision: (observed) => decidedPools(observed).every(keepsToTheCanary),
}

function keepsToTheCanary(decided: Decided): boolean {
  const { pool, decision } = decided
  const { status } = decision
  const [top] = status.history
  const content = status.target?.fingerprint.slice('of '.length)
  const added = stepsOf(decided).filter(({ digest }) => digest === content)
  if (top?.result !== 'Running' || status.stable?.fingerprint === status.target?.fingerprint || added.length === 0) return true
  if (status.wave === undefined) return added.every(({ node }) => isYoung(node)) && hasCompletedBefore(status)
  const canary = pool.policy.waves[0]
  if (!canary || !('count' in canary.nodes) || status.wave.name !== canary.name) return true
  const began = Date.parse(top.startedAt)
  const exposed = pool.nodes.filter((node) => isExposed(node, { content, began }))
  // A greater grant for what a node has already exposes nobody else.
  const others = added.filter(({ node }) => !exposed.includes(node))
  const sound = others.filter(({ node }) => isSound(node)).length
  const tried = exposed.filter((node) => !wasSound(node)).length
  return isWithin(exposed.length - tried, sound, canary.nodes.count) && isWithin(tried, others.length - sound, canary.nodes.count)
}

/** Who joins a pool without members gets what the pool was sent back to: it proved itself there, and was not gone back from. */
function hasCompletedBefore({ history, target }: Decided['decision']['status']): boolean {
  return history.some((entry) => entry.result === 'Completed' && entry.fingerprint === target?.fingerprint && !entry.abandoned)
}

/** It has never been assigned anything. */
function isYoung({ assigned }: NodeView): boolean {
  return assigned === undefined
}

function isWithin(before: number, added: number, places: number): boolean {
  return added === 0 || before + added <= places
}

/** One that is about to be deleted is out of the rollout. */
function isExposed(
  { assigned, leaving }: NodeView,
  { content, began }: { readonly content: string | undefined; readonly began: Instant },
): boolean {
  return assigned?.digest === content && !leaving && (assigned?.at ?? 0) >= began
}

/**
 * When it was assigned what it has: Ready, and its agent at work on nothing else, as far as can still be seen. Where the clock of the
 * controller was behind, its stamp says that the outage came later than it did.
 */
function wasSound({ assigned, ready, readySince, status }: NodeView): boolean {
  if (assigned !== undefined && wasUnsoundWhenAssigned(assigned)) return false
  const at = assigned?.at ?? 0
  const isStuck = status !== undefined && !['Applied', 'RolledBack', 'Failed'].includes(status.phase)
  // Two assignments may be of one instant.
  const speaksOfIt = status?.assignedAt === new Date(at).toISOString() && status.digest === assigned?.digest
  return (ready || readySince + 1000 > at) && !(isStuck && !speaksOfIt)
}

/** Before it is assigned anything. */
function isSound(node: NodeView): boolean {
  return node.ready && !doesNotServe(node) && (node.assigned === undefined || hasEnded(node))
}

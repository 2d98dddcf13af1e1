import type { Instant } from '../../../../src/rollout/model/instant.ts'
import type { NodeView } from '../../../../src/rollout/model/node-view.ts'
import type { Invariant } from '../invariants.ts'
import { type Decided, decidedPools, hasEnded, stepsOf } from './steps.ts'

/** Broken nodes may come on top: what an unfinished rollout has spoilt gets the new content at once. */
export const canaryExposure: Invariant = {
  claim: 'the canary wave alone sees what is not proven',
  ofDecision: (observed) => decidedPools(observed).every(keepsToTheCanary),
}

function keepsToTheCanary(decided: Decided): boolean {
  const { pool, decision } = decided
  const { status } = decision
  const canary = pool.policy.waves[0]
  if (!canary || !('count' in canary.nodes) || status.wave?.name !== canary.name) return true
  const content = status.target?.fingerprint.slice('of '.length)
  const stable = status.stable?.fingerprint.slice('of '.length)
  const began = Date.parse(status.history[0]?.startedAt ?? '')
  const exposed = pool.nodes.filter((node) => isExposed(node, { content, began })).length
  const added = stepsOf(decided).filter(({ node, digest }) => node.ready && digest === content && isSound(node, stable)).length
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

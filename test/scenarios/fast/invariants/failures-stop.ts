import type { NodePoolStatus } from '../../../../src/protocol/node-pool.ts'
import type { Share } from '../../../../src/rollout/model/policy.ts'
import { fingerprintOf } from '../content.ts'
import type { Invariant } from '../invariants.ts'
import { failedNow } from './failures-count.ts'
import { allowed, cordonsOf, type Decided, decidedPools, stepsOf } from './steps.ts'

export const failuresStop: Invariant = {
  claim:
    'no further node is selected for content while it has failed on more nodes than maxFailures allows, of the pool or of its first wave',
  ofDecision: (observed) => decidedPools(observed).every((decided) => selectsNone(decided) || isAllowed(decided)),
}

/** What a node has already exposes no further one. */
function selectsNone(decided: Decided): boolean {
  const [run] = decided.decision.status.history
  const begun = [...stepsOf(decided), ...cordonsOf(decided)].filter(({ digest }) => fingerprintOf(digest) === run?.fingerprint)
  return begun.every(({ node }) => fingerprintOf(node.assigned?.digest ?? '') === run?.fingerprint)
}

/** On a return as many may fail as may be unavailable. */
function isAllowed(decided: Decided): boolean {
  const { nodes, policy } = decided.pool
  const more = isReturn(decided.decision.status) ? allowed(policy.maxUnavailable, nodes.length) : 0
  const most = Math.max(atMost(policy.maxFailures, nodes.length), more)
  return failedNow(decided) <= Math.min(most, ofFirstWave(decided))
}

/** While it alone is open, all that has failed is of it. */
function ofFirstWave({ pool: { nodes, policy }, decision: { status } }: Decided): number {
  const [first] = policy.waves
  const { wave } = status
  if (first?.maxFailures === undefined || wave?.index !== 1 || wave.name !== first.name) return Number.POSITIVE_INFINITY
  const size = 'count' in first.nodes ? first.nodes.count : wave.sizes?.find(({ name }) => name === first.name)?.nodes
  return atMost(first.maxFailures, size ?? nodes.length)
}

/** The pool has completed the content before, and has not left it since for older content. */
function isReturn({ history: [run, ...before], stable }: NodePoolStatus): boolean {
  const completed = before.find(({ result, fingerprint }) => result === 'Completed' && fingerprint === run?.fingerprint)
  return completed ? completed.abandoned !== true : run?.fingerprint === stable?.fingerprint
}

/** A percentage may be none. */
function atMost(share: Share, nodes: number): number {
  return 'count' in share ? share.count : Math.floor((nodes * share.percent) / 100)
}

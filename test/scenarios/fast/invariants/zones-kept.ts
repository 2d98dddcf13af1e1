import { isOurCordon } from '../../../../src/rollout/model/cordon.ts'
import type { Instant } from '../../../../src/rollout/model/instant.ts'
import type { NodeView } from '../../../../src/rollout/model/node-view.ts'
import type { RolloutPolicy } from '../../../../src/rollout/model/policy.ts'
import { contentOf, digestFor, fingerprintOf } from '../content.ts'
import type { Invariant } from '../invariants.ts'
import { doesNotServe, wasFitWhenAssigned } from '../when-assigned.ts'
import { firstInRun } from './canary-exposure.ts'
import { type Decided, decidedPools, hasEnded, isBlocked, newlyDown } from './steps.ts'

export const zonesKept: Invariant = {
  claim:
    'where zones go one at a time, no node is taken while the rollout has nodes of another zone at work, cordoned, or broken',
  ofDecision: (observed) => decidedPools(observed).every(keepsToOneZone),
}

function keepsToOneZone(decided: Decided): boolean {
  const { at, pool } = decided
  const { policy, nodes } = pool
  const taken = policy.zones === 'OneAtATime' ? newlyDown(decided) : []
  if (taken.length === 0) return true
  const others = nodes.filter((node) => isCordoned(node, { policy, at }) || isAtWork(node) || isBroken(node, decided))
  return new Set([...taken.map(({ node }) => node.zone), ...others.map(({ zone }) => zone)]).size === 1
}

/** What is cordoned, and down for long, may be in an outage of its own. */
function isCordoned(node: NodeView, { policy, at }: { readonly policy: RolloutPolicy; readonly at: Instant }): boolean {
  return isOurCordon(node) && (node.ready || at < node.readySince + policy.applyTimeout)
}

/** One that is not Ready may be in an outage of its own; an agent that could not restore it has nothing left to do. */
function isAtWork(node: NodeView): boolean {
  return node.ready && node.assigned !== undefined && !hasEnded(node) && !isBlocked(node) && !doesNotServe(node)
}

/** It served when this rollout gave it the target, and does not any more. After a retry, and with other labels, it is tried again. */
function isBroken(node: NodeView, { at: now, decision: { status } }: Decided): boolean {
  const { assigned, labels, hold, leaving } = node
  const [run] = status.history
  if (run === undefined || assigned === undefined || hold !== undefined || leaving) return false
  const { at = 0, digest } = assigned
  if (digest !== digestFor(contentOf(digest), labels)) return false
  if (fingerprintOf(digest) !== run.fingerprint || at < Date.parse(run.retriedAt ?? run.startedAt) || at > now) return false
  return doesNotServe(node) && wasFitWhenAssigned(firstInRun(assigned, run))
}

import { ASSIGNMENT_REPLAYED } from '../../../../src/protocol/agent-status.ts'
import type { HistoryEntry } from '../../../../src/protocol/node-pool.ts'
import type { Instant } from '../../../../src/rollout/model/instant.ts'
import type { NodeView } from '../../../../src/rollout/model/node-view.ts'
import { contentOf, digestFor, fingerprintOf } from '../content.ts'
import type { Invariant } from '../invariants.ts'
import { stampOf } from '../stamp.ts'
import { wasFitWhenAssigned } from '../when-assigned.ts'
import { firstInRun, seemsDownBefore } from './canary-exposure.ts'
import { type Decided, decidedPools, isRendered } from './steps.ts'

export const failuresCount: Invariant = {
  claim:
    'a node that was sound when the rollout under way gave it the target counts when that fails on it, whatever becomes of its labels meanwhile',
  ofDecision: (observed) => decidedPools(observed).every(countsAll),
}

function countsAll(decided: Decided): boolean {
  const { history, stable } = decided.decision.status
  const [run] = history
  // Where the ConfigMap of its commit is gone, that waits until it is back.
  if (run === undefined || !isRendered(run, decided.pool)) return true
  return run.fingerprint === stable?.fingerprint || failedNow(decided) <= (run.failures ?? 0)
}

/** Of the rollout under way, as the nodes show it; those that were replaced included. */
export function failedNow({ pool: { name, nodes, policy }, decision: { status }, at }: Decided): number {
  const [run] = status.history
  if (run?.result !== 'Running') return 0
  const failed = nodes.filter(
    (node) =>
      isOfRun(node, { run, pool: name, at }) && (hasFailed(node) || isDownForLong(node, { at, policy })) && wasFit(node, run),
  )
  return failed.length + (run.losses?.replaced.length ?? 0)
}

/** When this run first gave it the target. */
function wasFit(node: NodeView, run: HistoryEntry): boolean {
  const { assigned } = node
  if (assigned === undefined) return false
  const first = firstInRun(assigned, run)
  return wasFitWhenAssigned(first) && ![first, assigned].some((each) => wasFitWhenAssigned(each) && seemsDownBefore(node, each))
}

/** What a clock that was put back since has assigned may be tried once more, as what failed before a person had it tried again. */
function isOfRun(
  { assigned }: NodeView,
  { run, pool, at: now }: { readonly run: HistoryEntry; readonly pool: string; readonly at: Instant },
): boolean {
  if (assigned?.pool !== pool || fingerprintOf(assigned.digest) !== run.fingerprint) return false
  // It had the content, which is not to blame.
  if (assigned.reboot !== undefined) return false
  const { at = 0 } = assigned
  return at >= Date.parse(run.retriedAt ?? run.startedAt) && at <= now
}

/** One that is not Ready though it was put back may be in an outage. */
function hasFailed(node: NodeView): boolean {
  const { assigned, status, ready } = node
  if (assigned === undefined || !isConcerned(node) || status?.assignedAt !== stampOf(assigned)) return false
  if (wasReplayed(node)) return false
  return status.phase === 'Failed' || (status.phase === 'RolledBack' && ready)
}

/** Its work has had its time, and did not end; nothing drains it. */
function isDownForLong(node: NodeView, { at, policy }: Pick<Decided, 'at'> & Pick<Decided['pool'], 'policy'>): boolean {
  const { assigned, status, ready, readySince, mark } = node
  if (ready || assigned === undefined || !isConcerned(node) || mark !== undefined || status?.phase === 'Applied') return false
  if (wasReplayed(node)) return false
  return at >= Math.max(assigned.at ?? 0, readySince) + policy.applyTimeout
}

/** Its assignment came back from a backup: nobody has tried it. */
function wasReplayed({ assigned, status }: NodeView): boolean {
  return assigned !== undefined && status?.assignedAt === stampOf(assigned) && status.error?.reason === ASSIGNMENT_REPLAYED
}

/** It has what it is to have by its labels. */
function isConcerned({ assigned, labels, hold, leaving }: NodeView): boolean {
  if (assigned === undefined || hold !== undefined || leaving) return false
  return assigned.digest === digestFor(contentOf(assigned.digest), labels)
}

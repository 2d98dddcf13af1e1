import type { HistoryEntry } from '../../../../src/protocol/node-pool.ts'
import type { NodeView } from '../../../../src/rollout/model/node-view.ts'
import { fingerprintOf } from '../content.ts'
import type { Invariant } from '../invariants.ts'
import { wasSilentWhenAssigned } from '../when-assigned.ts'
import { firstInRun, speaksOf } from './canary-exposure.ts'
import { type Decided, decidedPools } from './steps.ts'

export const silentFailNothing: Invariant = {
  claim: 'no commit is rejected only for nodes whose agents were silent before, and still are',
  ofDecision: (observed) => decidedPools(observed).every(hasEvidence),
}

/** A gate speaks for itself; machines that were replaced have failed. */
function hasEvidence({ pool, decision }: Decided): boolean {
  const run = rejectedNow({ pool, decision })
  const { gates = [] } = pool.policy
  if (run === undefined || gates.length > 0 || run.message?.includes('replaced')) return true
  const tried = pool.nodes.filter(({ assigned }) => assigned && fingerprintOf(assigned.digest) === run.fingerprint)
  return tried.some((node) => !isStillSilent(node, run))
}

/** Its agent was silent before this run gave it the content, and says nothing of that either. */
function isStillSilent({ assigned, status }: NodeView, run: HistoryEntry): boolean {
  const first = assigned && firstInRun(assigned, run)
  return first !== undefined && wasSilentWhenAssigned(first) && !(status && speaksOf(status, first))
}

/** The run that this decision ends for nodes that failed. */
function rejectedNow({ pool, decision: { status } }: Pick<Decided, 'pool' | 'decision'>): HistoryEntry | undefined {
  const known = pool.memory.rejected.map(({ fingerprint }) => fingerprint)
  const fresh = status.rejected.find(({ fingerprint }) => !known.includes(fingerprint))
  return fresh && status.history.find(({ fingerprint, result }) => fingerprint === fresh.fingerprint && result !== 'Running')
}

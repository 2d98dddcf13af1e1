import type { HistoryEntry } from '../../../../src/protocol/node-pool.ts'
import type { Observed } from '../controller.ts'
import type { Invariant } from '../invariants.ts'
import { type Decided, decidedPools, isJoining, stepsOf } from './steps.ts'

export const fleetStopKept: Invariant = {
  claim:
    'once more nodes failed at the newest commit than the fleet bears, no pool goes on with it that has never completed its content',
  ofDecision: (observed) => isBorne(observed) || decidedPools(observed).every(standsStill),
}

function isBorne(observed: Observed): boolean {
  const borne = borneBy(observed)
  return borne === Number.POSITIVE_INFINITY || failuresOf(observed) <= borne
}

function failuresOf({ fleet, decisions }: Observed): number {
  let sum = 0
  for (const { name, head } of fleet.pools)
    for (const run of decisions.get(name)?.status.history ?? []) if (run.revision === head.revision) sum += failedIn(run)
  return sum
}

function failedIn({ failures = 0, laterFailures: { nodes, replaced = 0 } = { nodes: [] } }: HistoryEntry): number {
  return Math.max(failures, nodes.length + replaced)
}

function borneBy({ fleet: { pools, policy, controls } }: Observed): number {
  const { maxFailures: share } = policy
  if (share === undefined || controls.retry !== undefined) return Number.POSITIVE_INFINITY
  const nodes = pools.flatMap((pool) => pool.nodes)
  return 'count' in share ? share.count : Math.floor((nodes.length * share.percent) / 100)
}

function standsStill(decided: Decided): boolean {
  const { pool, decision } = decided
  if (goesBack(decided)) return true
  const [run] = decision.status.history
  const isAtHead = run?.fingerprint === pool.head.fingerprint && run.result === 'Running'
  if (!isAtHead || decision.status.target?.fingerprint !== pool.head.fingerprint) return true
  return stepsOf(decided).every(({ node }) => isJoining(node, decided))
}

/** By a revert, to what it did not flee from since. */
function goesBack({ pool, decision }: Decided): boolean {
  const isHead = ({ fingerprint }: { readonly fingerprint: string }): boolean => fingerprint === pool.head.fingerprint
  const { stable, history } = decision.status
  if (stable !== undefined && isHead(stable)) return true
  const completed = history.find((run) => run.result === 'Completed' && isHead(run))
  return completed !== undefined && completed.abandoned !== true
}

import type { Observed } from '../controller.ts'
import type { Invariant } from '../invariants.ts'
import { type Decided, decidedPools, isJoining, stepsOf } from './steps.ts'

export const fleetStopKept: Invariant = {
  claim: 'once more nodes failed at the newest commit than the fleet bears, no pool goes on with it that has not completed it',
  ofDecision: (observed) => failuresOf(observed) <= borneBy(observed) || decidedPools(observed).every(standsStill),
}

function failuresOf({ fleet, decisions }: Observed): number {
  const runs = fleet.pools.flatMap(({ name, head }) =>
    (decisions.get(name)?.status.history ?? []).filter(({ revision }) => revision === head.revision),
  )
  return runs.reduce((sum, { failures = 0 }) => sum + failures, 0)
}

function borneBy({ fleet: { pools, policy, controls } }: Observed): number {
  const { maxFailures: share } = policy
  if (share === undefined || controls.retry !== undefined) return Number.POSITIVE_INFINITY
  const nodes = pools.flatMap((pool) => pool.nodes)
  return 'count' in share ? share.count : Math.floor((nodes.length * share.percent) / 100)
}

function standsStill(decided: Decided): boolean {
  const { pool, decision } = decided
  const [run] = decision.status.history
  const isAtHead = run?.fingerprint === pool.head.fingerprint && run.result === 'Running'
  if (!isAtHead || decision.status.target?.fingerprint !== pool.head.fingerprint) return true
  return stepsOf(decided).every(({ node }) => isJoining(node, decided))
}

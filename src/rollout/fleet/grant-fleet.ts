import type { PoolGrant } from '../model/grant.ts'
import { arbitrate, NOTHING_GRANTED } from './arbiter.ts'
import { awaitedNode, fleetUse } from './fleet-use.ts'
import type { FleetClaims } from './pool-claim.ts'

export function grantFleet({ claims, budget, ...nodes }: FleetClaims): ReadonlyMap<string, PoolGrant> {
  const grants = arbitrate(
    [...claims.values()].map(({ proposal }) => proposal),
    budget,
  )
  const granted = new Map<string, PoolGrant>()
  for (const [name, { pool, proposal }] of claims) {
    const grant = grants.get(name) ?? NOTHING_GRANTED
    const { byNode } = proposal.blocker ?? {}
    granted.set(name, {
      ...grant,
      ...(grant.lacksFleetBudget && { fleetUse: fleetUse(pool, { ...nodes, claims, budget }) }),
      ...(byNode !== undefined && { awaitedNode: awaitedNode(byNode, pool, { ...nodes, claims }) }),
    })
  }
  return granted
}

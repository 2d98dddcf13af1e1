import type { PoolGrant } from '../model/grant.ts'
import { arbitrate, NOTHING_GRANTED } from './arbiter.ts'
import { fleetUse } from './fleet-use.ts'
import type { FleetClaims } from './pool-claim.ts'

export function grantFleet({ claims, budget, ...nodes }: FleetClaims): ReadonlyMap<string, PoolGrant> {
  const grants = arbitrate(
    [...claims.values()].map(({ proposal }) => proposal),
    budget,
  )
  const granted = new Map<string, PoolGrant>()
  for (const [name, { pool }] of claims) {
    const grant = grants.get(name) ?? NOTHING_GRANTED
    granted.set(name, grant.lacksFleetBudget ? { ...grant, fleetUse: fleetUse(pool, { ...nodes, claims, budget }) } : grant)
  }
  return granted
}

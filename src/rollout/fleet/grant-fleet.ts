import { arbitrate, type Grant, NOTHING_GRANTED } from './arbiter.ts'
import { type FleetUse, fleetUse } from './fleet-use.ts'
import type { FleetClaims } from './pool-claim.ts'

/** What a pool was granted, and who has what it lacks. */
export interface PoolGrant extends Grant {
  readonly fleetUse?: FleetUse
}

export function grantFleet({ claims, budget, ...nodes }: FleetClaims): ReadonlyMap<string, PoolGrant> {
  const grants = arbitrate(
    [...claims.values()].map(({ proposal }) => proposal),
    budget,
  )
  return new Map(
    [...claims].map(([name, { pool }]) => {
      const grant = grants.get(name) ?? NOTHING_GRANTED
      return [
        name,
        grant.lacksFleetBudget ? { ...grant, fleetUse: fleetUse(pool, { ...nodes, claims, budget }) } : grant,
      ] as const
    }),
  )
}

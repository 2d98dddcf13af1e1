import { arbitrate, type Grant, NOTHING_GRANTED } from './arbiter.ts'
import type { FleetNodes } from './fleet-budget.ts'
import { type FleetUse, fleetUse } from './fleet-use.ts'
import type { PoolClaim } from './pool-claim.ts'

/** What a pool was granted, and who has what it lacks. */
export interface PoolGrant extends Grant {
  readonly fleetUse?: FleetUse
}

export interface FleetClaims extends FleetNodes {
  readonly claims: ReadonlyMap<string, PoolClaim>
  /** Absent: each pool's own budget alone counts. */
  readonly budget: number | undefined
}

export function grantFleet({ claims, budget, ...nodes }: FleetClaims): ReadonlyMap<string, PoolGrant> {
  const grants = arbitrate(
    [...claims.values()].map(({ proposal }) => proposal),
    budget,
  )
  return new Map(
    [...claims].map(([name, { pool }]) => {
      const grant = grants.get(name) ?? NOTHING_GRANTED
      return [name, grant.lacksFleetBudget ? { ...grant, fleetUse: fleetUse(pool, { ...nodes, claims }) } : grant] as const
    }),
  )
}

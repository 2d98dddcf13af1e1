import type { AgentStatus } from '../../protocol/agent-status.ts'
import { isAtWork, reportOf } from '../model/agent-report.ts'
import { isOurCordon } from '../model/cordon.ts'
import type { NodeView } from '../model/node-view.ts'
import type { Share } from '../model/policy.ts'
import { hasFailedProof } from '../model/proof.ts'
import type { Places } from '../model/proposal.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'
import { allowedUnavailable, type BudgetUse, countUnavailable, placesLeft } from '../selection/budget.ts'

export interface FleetNodes {
  readonly pools: readonly PoolSnapshot[]
  /** Nodes of no pool, or of several. */
  readonly strays?: readonly NodeView[]
}

/** The budget of the fleet, and what is left of it. */
export interface FleetBudget extends Places {
  readonly allowed: number
  /** Work, or an uncordon, brings nodes back that use it up. */
  readonly isGivenBack: boolean
}

interface Claim {
  readonly proposal: { readonly use: BudgetUse }
  readonly holders: readonly string[]
}

/** Undefined: each pool's own budget alone counts. */
export function fleetBudget(
  { pools, strays = [], claims }: FleetNodes & { readonly claims: ReadonlyMap<string, Claim> },
  maxUnavailable: Share | undefined,
): FleetBudget | undefined {
  if (maxUnavailable === undefined) return undefined
  const total = pools.reduce((sum, { nodes }) => sum + nodes.length, 0)
  const uses = pools.map((pool) => claims.get(pool.name)?.proposal.use ?? useOf(pool))
  const unavailable = uses.reduce((sum, use) => sum + use.unavailable, strayHolders(strays).length)
  const held = pools.reduce(
    (sum, pool, index) => sum + (claims.get(pool.name)?.holders.length ?? uses[index]?.unavailable ?? 0),
    strayHolders(strays).length,
  )
  const serving = uses.reduce((sum, use) => sum + use.serving, 0)
  const idle = uses.reduce((sum, use) => sum + use.idle, 0)
  const allowed = allowedUnavailable(maxUnavailable, total)
  return { allowed, isGivenBack: held < allowed, ...placesLeft(allowed, { unavailable, serving, idle }) }
}

/** Of a pool that cannot be assessed. */
function useOf({ nodes }: PoolSnapshot): BudgetUse {
  return { unavailable: countUnavailable(nodes.map((node) => ({ node, report: reportOf(node) }))), serving: 0, idle: 0 }
}

/**
 * Nodes that left their pool while a rollout had them unavailable, or that are down since, or failed. A cordon of somebody else is no
 * work of ours; and a proof that was under way is not ended by anybody, so nothing waits for it.
 */
export function strayHolders(strays: readonly NodeView[]): readonly string[] {
  return strays
    .filter((node) => node.assigned !== undefined || node.mark !== undefined)
    .filter((node) => !node.ready || isOurCordon(node) || isUndone(node, reportOf(node)))
    .map(({ name }) => name)
    .sort()
}

function isUndone(node: NodeView, report: AgentStatus | undefined): boolean {
  return isAtWork(node, report) || report?.phase === 'Failed' || hasFailedProof(node, report)
}

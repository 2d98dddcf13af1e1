import { isDependentOn } from '../blockers/dependencies.ts'
import { isOurCordon } from '../drain/cordon.ts'
import { isAtWork, reportOf } from '../model/agent-report.ts'
import type { Decision } from '../model/decision.ts'
import type { UnavailableNodes } from '../model/fleet-facts.ts'
import type { Instant } from '../model/instant.ts'
import type { NodeView } from '../model/node-view.ts'
import type { Share } from '../model/policy.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'
import { listNames } from '../model/text.ts'
import { allowedUnavailable, isUnavailable } from '../selection/budget.ts'

/** How many more nodes the fleet's own cap lets become unavailable. */
export function fleetBudget(pools: readonly PoolSnapshot[], maxUnavailable: Share): number {
  const total = pools.reduce((sum, { nodes }) => sum + nodes.length, 0)
  const down = pools.reduce((sum, pool) => sum + downIn(pool).count, 0)
  return Math.max(0, allowedUnavailable(maxUnavailable, total) - down)
}

export function newlyUnavailable({ nodes }: PoolSnapshot, { actions }: Decision): number {
  const selected = new Set(
    actions.flatMap((action) => (action.kind === 'assign' || action.kind === 'cordon' ? [action.node] : [])),
  )
  if (selected.size === 0) return 0
  return nodes.filter((node) => selected.has(node.name) && !isDown(node)).length
}

/**
 * Those that work will bring back are left out, or each node that is rolled would be another word, and another write of the status.
 * Work that is overdue is counted on no more, though its agent says that it goes on.
 */
export function unavailableNodes(
  pools: readonly PoolSnapshot[],
  { pool: { name }, now }: { readonly pool: PoolSnapshot; readonly now: Instant },
): readonly UnavailableNodes[] {
  return pools
    .map((pool) => ({ pool: pool.name, nodes: unavailableIn(pool, now), waits: isDependentOn(name, { pool, pools }) }))
    .filter(({ nodes }) => nodes.length > 0)
    .sort((a, b) => (a.pool < b.pool ? -1 : 1))
}

/** ` the fleet's is used up by "b-0" of "b", which waits for this pool: …`; empty when the fleet's is not what is missing. */
export function describeUse({ fleet }: PoolSnapshot): string {
  const { unavailable = [], budget } = fleet ?? {}
  if (budget !== 0 || unavailable.length === 0) return ''
  const told = unavailable.map(
    ({ pool, nodes, waits }) => `${listNames(nodes)} of "${pool}"${waits ? ', which waits for this pool' : ''}`,
  )
  const circle = unavailable.find(({ waits }) => waits)
  const remedy = circle ? `: mend them, or nodewave rollback ${circle.pool}, or raise maxUnavailable of the Fleet` : ''
  return `; the fleet's is used up by ${told.join(', and by ')}${remedy}`
}

function unavailableIn(pool: PoolSnapshot, now: Instant): readonly string[] {
  const { idle, atWork } = downIn(pool)
  const overdue = atWork.filter(({ assigned }) => assigned?.at !== undefined && now >= assigned.at + pool.policy.applyTimeout)
  return [...idle, ...overdue].map((node) => node.name).sort()
}

interface Down {
  readonly count: number
  /** Not at work, so nothing of ours will bring them back. */
  readonly idle: readonly NodeView[]
  readonly atWork: readonly NodeView[]
}

/** Most pools are the same as in the last pass, and need not be counted again. */
const known = new WeakMap<PoolSnapshot, Down>()

function downIn(pool: PoolSnapshot): Down {
  const found = known.get(pool) ?? look(pool.nodes.filter(isDown))
  known.set(pool, found)
  return found
}

function look(down: readonly NodeView[]): Down {
  const atWork = down.filter((node) => isAtWork(node, reportOf(node)))
  const idle = down.filter((node) => !isOurCordon(node) && !isAtWork(node, reportOf(node)))
  return { count: down.length, idle, atWork }
}

function isDown(node: NodeView): boolean {
  return isUnavailable(node, reportOf(node))
}

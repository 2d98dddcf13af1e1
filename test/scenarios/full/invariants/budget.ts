import { type Assignment, activeDigest, desiredOf, hasEnded, isAvailable, isBlocked } from '../assignment.ts'
import type { Invariant } from '../invariants.ts'
import type { World } from '../world.ts'

/** What else is down may be news that has not reached the controller; what it has assigned itself is none. */
export const budget: Invariant = {
  claim: 'no more nodes are disturbed by us than maxUnavailable says',
  holds(assignment, world) {
    if (!disturbs(assignment, world)) return true
    const pool = world.pools.find(({ name }) => name === assignment.desired.POOL)
    const others = [...world.disturbed].filter(
      (node) => node !== assignment.node && world.machines.get(node)?.pool === pool?.name,
    )
    return others.length < (pool?.maxUnavailable ?? 0)
  },
}

/** The node was available, and is not for as long as the work takes. */
export function disturbs({ desired, before }: Assignment, world: World): boolean {
  const { POOL: pool = '', REVISION: revision = '' } = desired
  const status = (world.pool(pool)?.status ?? {}) as { readonly stable?: unknown }
  // Of a NodePool that was deleted, the controller may still have what it showed.
  const isProven = status.stable !== undefined || world.completed.has(`${pool} ${world.contentOf(pool, revision)?.name}`)
  const joins = desiredOf(before) === undefined && isProven
  const isAtWork = desiredOf(before) !== undefined && !hasEnded(before) && !isBlocked(before)
  return isAvailable(before) && !isAtWork && !joins && activeDigest(before) !== desired.DIGEST
}

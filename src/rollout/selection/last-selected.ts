import type { Instant } from '../model/instant.ts'
import type { Member, PoolContext, PoolState } from '../model/pool-state.ts'
import { isInRollout } from '../model/wanted-assignment.ts'

/**
 * When the rollout last selected a node, as the nodes show. Those that came since it began do not count: the content that they get
 * at once would put off the pool's turn as long as nodes join.
 */
export function lastSelectedAt(state: PoolState): Instant | undefined {
  let latest: Instant | undefined
  for (const { selectedAt: at } of state.members) if (at !== undefined && at <= state.now && !(at < (latest ?? at))) latest = at
  return latest
}

/** Stamped by a controller whose clock was ahead, the node counts as selected from then on. */
export function selectedAt({ node, assigned }: Pick<Member, 'node' | 'assigned'>, { rollout }: PoolContext): Instant | undefined {
  if (node.createdAt > rollout.startedAt) return undefined
  const isOfRollout = assigned && node.assigned && isInRollout(node.assigned, { rolloutStart: rollout.startedAt })
  return isOfRollout ? node.assigned?.at : node.mark?.at
}

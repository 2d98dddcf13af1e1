import type { Instant } from '../model/instant.ts'
import type { NodeView } from '../model/node-view.ts'
import type { PoolContext, PoolState } from '../model/pool-state.ts'

/**
 * When the pool last selected a node, as the nodes show, in whichever rollout: else one that gets a commit after the other would always come
 * first. Those that came since the rollout began do not count: the content that they get at once would put off the pool's turn as long as
 * nodes join.
 */
export function lastSelectedAt(state: PoolState): Instant | undefined {
  let latest: Instant | undefined
  for (const { selectedAt: at } of state.members) if (at !== undefined && at <= state.now && !(at < (latest ?? at))) latest = at
  return latest
}

/** Stamped by a controller whose clock was ahead, the node counts as selected from then on. */
export function selectedAt(
  { createdAt, assigned, mark }: NodeView,
  { rollout }: Pick<PoolContext, 'rollout'>,
): Instant | undefined {
  if (createdAt > rollout.startedAt) return undefined
  if (assigned?.at === undefined || mark === undefined) return mark?.at ?? assigned?.at
  return Math.max(assigned.at, mark.at)
}

import type { Random } from '../../random.ts'
import type { World } from '../world.ts'

/** A revert of a pool, or the revert of that: content that it had before comes again. */
export function commitReturns(world: World, random: Random): void {
  const pool = random.pick([...world.pools.keys()])
  const newest = world.head.contents.get(pool)
  const before = world.commits.flatMap(({ contents }) => contents.get(pool) ?? []).filter((content) => content !== newest)
  if (before.length > 0) world.push({ [pool]: random.pick(before.slice(-2)) })
}

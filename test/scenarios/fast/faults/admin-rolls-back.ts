import type { Random } from '../../random.ts'
import type { World } from '../world.ts'

/** To a commit, or to whatever completed last; or takes the rollback away. */
export function adminRollsBack(world: World, random: Random): void {
  const pool = random.pick([...world.pools.values()])
  const { rollback, ...others } = pool.controls
  const value = random.chance(0.5) ? random.pick(world.commits).revision : ''
  world.control(pool, rollback === undefined ? { ...others, rollback: value } : others)
}

import type { Random } from '../../random.ts'
import type { World } from '../world.ts'

export function adminPromotes(world: World, random: Random): void {
  const pool = random.pick([...world.pools.values()])
  world.control(pool, { ...pool.controls, promoted: random.pick(world.commits).revision })
}

import type { Random } from '../../random.ts'
import type { World } from '../world.ts'

export function adminPauses(world: World, random: Random): void {
  const pool = random.pick([...world.pools.values()])
  const { paused, ...others } = pool.controls
  world.control(pool, paused === undefined ? { ...others, paused: '' } : others)
}

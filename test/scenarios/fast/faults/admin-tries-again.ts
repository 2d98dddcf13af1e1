import type { Random } from '../../random.ts'
import type { World } from '../world.ts'

/** A person promotes the newest commit, or lets it be tried again, whatever has become of it. */
export function adminTriesAgain(world: World, random: Random): void {
  const pool = random.pick([...world.pools.values()])
  const control = random.pick(['promoted', 'retry'] as const)
  world.control(pool, { ...pool.controls, [control]: world.head.revision })
}

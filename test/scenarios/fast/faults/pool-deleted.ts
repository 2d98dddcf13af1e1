import { NO_MEMORY } from '../../../../src/rollout/model/snapshot.ts'
import type { Random } from '../../random.ts'
import type { World } from '../world.ts'

/** A person deletes the NodePool object: it is made again, and remembers nothing but what is noted on the revisions that failed. */
export function poolDeleted(world: World, random: Random): void {
  if (random.chance(0.75)) return
  const pool = random.pick([...world.pools.values()])
  pool.memory = { ...NO_MEMORY, ...(!world.notes && { rejected: pool.memory.rejected }) }
  world.apps?.forget(pool.name)
  world.control(pool, {})
  world.tell(`${pool.name} is deleted, and with it its status`)
}

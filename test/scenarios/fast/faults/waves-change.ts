import type { Random } from '../../random.ts'
import { waves } from '../rules/waves.ts'
import type { World } from '../world.ts'

/** A commit changes the waves of a pool, whatever its rollout is at. */
export function wavesChange(world: World, random: Random): void {
  const pool = random.pick([...world.rules.pools.keys()])
  const policy = world.rules.pools.get(pool)
  if (!policy) return
  const changed = { ...policy, ...waves(random) }
  world.rules.pools.set(pool, changed)
  world.tell(() => `${pool} waves: ${changed.waves.map(({ name }) => name).join(', ')}`)
}

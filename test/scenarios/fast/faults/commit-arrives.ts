import type { Random } from '../../random.ts'
import { EFFECTS } from '../effect.ts'
import type { World } from '../world.ts'

/** A new content, good or bad in some way, or an old one again, for some of the pools. */
export function commitArrives(world: World, random: Random): void {
  const effect = random.chance(0.4) ? 'good' : random.pick(EFFECTS)
  const pools = [...world.pools.keys()].filter(() => random.chance(0.6))
  const changed = pools.length > 0 ? pools : [random.pick([...world.pools.keys()])]
  const contents = changed.map((pool): [string, string] => {
    const old = random.chance(0.3) ? random.pick(world.commits).contents.get(pool) : undefined
    return [pool, old ?? `${pool[0]}${world.commits.length}-${effect}`]
  })
  world.push(Object.fromEntries(contents), effect, random.pick(['restart', 'drain']))
}

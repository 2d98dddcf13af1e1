import type { Random } from '../../random.ts'
import { EFFECTS } from '../effect.ts'
import type { World } from '../world.ts'

/** A new content, good or bad in some way, or an old one again, for some of the pools. */
export function commitArrives(world: World, random: Random): void {
  const usual = random.chance(0.4) ? 'good' : random.pick(EFFECTS)
  const effect = isProved(world) && random.chance(0.2) ? 'mute' : usual
  const pools = [...world.pools.keys()].filter(() => random.chance(0.6))
  const changed = pools.length > 0 ? pools : [random.pick([...world.pools.keys()])]
  const contents = changed.map((pool): [string, string] => {
    const old = random.chance(0.3) ? random.pick(world.commits).contents.get(pool) : undefined
    return [pool, old ?? `${pool[0]}${world.commits.length}-${effect}`]
  })
  world.push(Object.fromEntries(contents), effect, random.pick(['restart', 'drain']))
}

/** What only a pod shows is pushed to nobody else: it would be a good commit. */
export function isProved({ rules }: World): boolean {
  return [...rules.pools.values()].some(({ proof }) => proof !== undefined)
}

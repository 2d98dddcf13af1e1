import type { Random } from '../../random.ts'
import { contentOf } from '../content.ts'
import type { World } from '../world.ts'

/** A commit breaks nodes of a pool; when some of them are down, a fix arrives. */
export function fixFollows(world: World, random: Random): void {
  const pool = random.pick([...world.pools.keys()])
  const newest = world.head.contents.get(pool)
  const isBroken = world.membersOf(pool).some(({ shown }) => !shown.ready && contentOf(shown.assigned?.digest ?? '') === newest)
  const effect = isBroken ? 'good' : random.pick(['ruin', 'wilt'] as const)
  world.push({ [pool]: `${pool[0]}${world.commits.length}-${effect}` }, effect)
}

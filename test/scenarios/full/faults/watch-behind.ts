import type { World } from '../world.ts'

/** What controllers follow: objects of which people and other tools are told more often than of others. */
const RESOURCES = ['nodes', 'nodes', 'nodes', 'nodepools', 'configmaps', 'pods'] as const

/** The watch of one resource is behind by seconds or minutes, of one controller or of all; what they read again is as it is. */
export function watchBehind(world: World): void {
  const { random, clock, controllerTroubles } = world
  const resource = random.pick(RESOURCES)
  const seconds = random.pick([5, 30, 90, 200, 400])
  const troubles = random.chance(0.5) ? controllerTroubles : [world.controllerTrouble]
  const from = clock.elapsed()
  for (const { lateWatches } of troubles) lateWatches.delay(resource, { from, until: from + seconds * 1000 })
  world.tell(`the watch of ${resource} is late for ${seconds} s for ${troubles.length} controllers`)
}

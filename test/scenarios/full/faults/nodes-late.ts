import type { World } from '../world.ts'

/** The controller's watch of Nodes is behind by seconds or minutes, as where an API server's cache is; all else arrives. */
export function nodesLate(world: World): void {
  const seconds = world.random.pick([5, 30, 90, 200, 400])
  const from = world.clock.elapsed()
  world.controllerTrouble.lateWatches.delay('nodes', { from, until: from + seconds * 1000 })
  world.tell(`a controller's watch of Nodes is late for ${seconds} s`)
}

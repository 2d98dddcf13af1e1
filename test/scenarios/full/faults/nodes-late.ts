import type { World } from '../world.ts'

/** The controller's watch of Nodes is behind by seconds or minutes, as where an API server's cache is; all else arrives. */
export function nodesLate(world: World): void {
  const seconds = world.random.pick([5, 30, 90, 200, 400])
  world.controllerTrouble.watchesLateUntil.set('nodes', world.clock.elapsed() + seconds * 1000)
  world.tell(`a controller's watch of Nodes is late for ${seconds} s`)
}

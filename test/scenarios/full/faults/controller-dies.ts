import type { World } from '../world.ts'

/** One at one of its next requests, or all at once; others begin soon after. */
export function controllerDies(world: World): void {
  const trouble = world.controllerTrouble
  trouble.deathIn = world.random.below(30)
  world.tell(`a controller dies before its request ${trouble.deathIn}`)
  if (world.random.chance(0.3)) world.startControllers()
}

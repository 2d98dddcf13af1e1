import type { World } from '../world.ts'

/** At one of its next requests, or at once; another one begins soon after. */
export function controllerDies(world: World): void {
  world.controllerTrouble.deathIn = world.random.below(30)
  world.tell(`the controller dies before its request ${world.controllerTrouble.deathIn}`)
  if (world.random.chance(0.3)) world.startController()
}

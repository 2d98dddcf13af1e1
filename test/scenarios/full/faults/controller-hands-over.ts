import type { World } from '../world.ts'

/** One of several is told to end, as when its Deployment is updated: it gives the lease away if it has it. Another one begins. */
export function controllerHandsOver(world: World): void {
  if (world.handOver()) world.tell('a controller ends, and another one begins')
}

import type { World } from '../world.ts'

/** One is cut off for a while, long enough for another to take over; what it has sent arrives late. */
export function controllerHangs(world: World): void {
  const seconds = world.random.pick([3, 30, 100])
  world.controllerTrouble.hungUntil = world.clock.elapsed() + seconds * 1000
  world.tell(`a controller is cut off for ${seconds} s`)
}

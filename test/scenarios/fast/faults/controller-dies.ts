import type { World } from '../world.ts'

export function controllerDies(world: World): void {
  world.restartController()
  world.tell('the controller dies, and another one begins')
}

import type { Random } from '../../random.ts'
import type { World } from '../world.ts'

/** What the watch tells is lost, until the controller notices and lists again. */
export function watchFails(world: World, random: Random): void {
  if (random.chance(0.5)) world.controller.loseWatch()
  else world.controller.list()
  world.tell(world.controller.isUpToDate ? 'the controller lists again' : "the controller's watch goes silent")
}

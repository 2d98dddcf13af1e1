import type { Random } from '../../random.ts'
import type { World } from '../world.ts'

const MINUTE = 60_000

/** Another replica takes over, whose clock is not quite the same. */
export function clockOfController(world: World, random: Random): void {
  world.restartController(random.pick([0, 0, -3_000, 3_000, -90 * MINUTE]))
  world.tell(`another controller, clock: ${world.controller.clockOff}`)
}

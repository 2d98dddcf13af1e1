import type { World } from '../world.ts'

const MINUTE = 60_000

/** Everybody's wall clock at once, as when a time server comes to its senses. */
export function clockJumps(world: World): void {
  const by = world.random.pick([-90, -1, 1, 90]) * MINUTE
  world.clock.jump(by)
  world.tell(`the clock jumps by ${by}`)
}

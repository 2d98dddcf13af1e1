import type { Observed } from './controller.ts'
import { checkDecision, checkWorld } from './invariants.ts'
import { noteSituations } from './situations.ts'
import type { World } from './world.ts'

/** The controller hears what has happened, and decides; all that must hold is checked. */
export function passOnce(world: World): Observed {
  world.takes = []
  world.controller.hear()
  const observed = world.controller.pass()
  checkDecision(observed)
  noteSituations(observed, world.reached)
  checkWorld(world)
  return observed
}

/** Milliseconds. */
const ROUND = 30_000

/** Nothing else happens for so long, in milliseconds: the fleet does what it has to do. */
export function goOn(world: World, duration: number): void {
  for (const end = world.now + duration; world.now < end; world.now += ROUND) {
    passOnce(world)
    for (const node of world.nodes.values()) for (let i = 0; i < 3; i++) world.step(node)
  }
}

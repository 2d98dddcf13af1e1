import type { Random } from '../../random.ts'
import { checkDecision } from '../invariants.ts'
import type { World } from '../world.ts'

/** Node after node loses its network for five seconds; the controller decides each time. */
export function nodesBlink(world: World, random: Random): void {
  for (const node of random.shuffled([...world.nodes.values()].filter(({ dead, offline }) => !dead && !offline)).slice(0, 4)) {
    node.goOffline(world.now)
    world.takes = []
    world.controller.hear()
    checkDecision(world.controller.pass())
    world.now += 5_000
    node.revive(world.now)
    world.tell(`${node.name} blinks`)
  }
}

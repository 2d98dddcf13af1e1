import type { Random } from '../../random.ts'
import type { World } from '../world.ts'

const DAY = 24 * 60 * 60_000

export function clockOfNode(world: World, random: Random): void {
  const node = random.pick([...world.nodes.values()])
  node.clockOff = random.pick([0, 2_000, -DAY, DAY])
  world.tell(`${node.name} clock: ${node.clockOff}`)
}

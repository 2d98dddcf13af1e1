import type { Random } from '../../random.ts'
import type { World } from '../world.ts'

export function nodeLeaves(world: World, random: Random): void {
  if (world.nodes.size < 2) return
  const { name } = random.pick([...world.nodes.values()])
  world.leave(name)
  world.tell(`${name} leaves`)
}

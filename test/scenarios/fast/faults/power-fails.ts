import type { Random } from '../../random.ts'
import type { World } from '../world.ts'

export function powerFails(world: World, random: Random): void {
  const node = random.pick([...world.nodes.values()])
  if (node.dead) node.revive(world.now)
  else node.die(world.now)
  world.tell(`${node.name} ${node.dead ? 'dies' : 'revives'}`)
}

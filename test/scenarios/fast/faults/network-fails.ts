import type { Random } from '../../random.ts'
import type { World } from '../world.ts'

/** The node cannot be reached and reaches nobody; what runs on it goes on. */
export function networkFails(world: World, random: Random): void {
  const node = random.pick([...world.nodes.values()])
  if (node.offline) node.revive(world.now)
  else node.goOffline(world.now)
  world.tell(`${node.name} network: ${node.offline ? 'lost' : 'back'}`)
}

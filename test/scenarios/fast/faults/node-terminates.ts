import type { Random } from '../../random.ts'
import type { World } from '../world.ts'

/** An autoscaler deletes it; its finalizers keep the object for a while. */
export function nodeTerminates(world: World, random: Random): void {
  if (world.nodes.size < 2) return
  const node = random.pick([...world.nodes.values()])
  node.show({ leaving: true })
  world.tell(`${node.name} is about to be deleted`)
}

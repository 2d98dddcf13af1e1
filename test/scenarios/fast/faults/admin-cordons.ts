import type { Random } from '../../random.ts'
import type { World } from '../world.ts'

/**
 * A person cordons a node, or lets it be used again. A cordon over a mark of the controller that is not heard of yet cannot be told
 * from the controller's own.
 */
export function adminCordons(world: World, random: Random): void {
  const node = random.pick([...world.nodes.values()])
  const { mark } = node.shown
  const unschedulable = !node.shown.unschedulable
  if (!unschedulable) world.uncordonByHand(node)
  else if (mark?.state !== 'Ours') world.cordonedByPeople.add(node.name)
  node.show({ unschedulable })
  world.tell(`${node.name} unschedulable: ${unschedulable}`)
}

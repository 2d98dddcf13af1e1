import type { Random } from '../../random.ts'
import type { World } from '../world.ts'

/** A person cordons a node, or lets it be used again. */
export function adminCordons(world: World, random: Random): void {
  const node = random.pick([...world.nodes.values()])
  const unschedulable = !node.shown.unschedulable
  if (unschedulable) world.cordonedByPeople.add(node.name)
  else world.cordonedByPeople.delete(node.name)
  node.show({ unschedulable })
  world.tell(`${node.name} unschedulable: ${unschedulable}`)
}

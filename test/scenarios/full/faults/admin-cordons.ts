import type { World } from '../world.ts'

/** A person cordons a node, or lets it be used again; they leave alone what they have not cordoned themselves. */
export async function adminCordons(world: World): Promise<void> {
  const { name } = world.random.pick([...world.machines.values()])
  const { unschedulable = false } = (world.store.get('nodes', name)?.spec ?? {}) as { unschedulable?: boolean }
  if (unschedulable && !world.cordonedByPeople.delete(name)) return
  if (!unschedulable) world.cordonedByPeople.add(name)
  await world.kube.patch(`/api/v1/nodes/${name}`, { spec: { unschedulable: unschedulable ? null : true } })
  world.tell(`${name} unschedulable: ${!unschedulable}`)
}

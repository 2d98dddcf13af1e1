import type { World } from '../world.ts'

export async function adminCordons(world: World): Promise<void> {
  const { name } = world.random.pick([...world.machines.values()])
  const { unschedulable } = (world.store.get('nodes', name)?.spec ?? {}) as { unschedulable?: boolean }
  await world.kube.patch(`/api/v1/nodes/${name}`, { spec: { unschedulable: unschedulable ? null : true } })
  world.tell(`${name} unschedulable: ${!unschedulable}`)
}

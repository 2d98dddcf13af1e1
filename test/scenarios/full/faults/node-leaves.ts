import type { KubeObject } from '../../../../src/kube/kube-api.ts'
import type { World } from '../world.ts'

export async function nodeLeaves(world: World): Promise<void> {
  if (world.machines.size < 3) return
  const machine = world.random.pick([...world.machines.values()])
  world.machines.delete(machine.name)
  world.cordonedByPeople.delete(machine.name)
  await machine.leave()
  // As the pod garbage collector would: no kubelet is left to end them.
  const pods = world.store.list('pods') as unknown as KubeObject[]
  for (const { metadata, spec } of pods)
    if ((spec as { readonly nodeName?: string }).nodeName === machine.name) world.store.remove('pods', `shop/${metadata.name}`)
  world.tell(`${machine.name} leaves`)
}

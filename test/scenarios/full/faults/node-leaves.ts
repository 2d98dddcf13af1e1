import type { KubeObject } from '../../../../src/kube/kube-api.ts'
import type { World } from '../world.ts'

export async function nodeLeaves(world: World): Promise<void> {
  if (world.machines.size < 3) return
  await leave(world.random.pick([...world.machines.keys()]), world)
}

export async function leave(name: string, world: World): Promise<void> {
  const machine = world.machines.get(name)
  world.machines.delete(name)
  world.cordonedByPeople.delete(name)
  for (const { nodes } of world.exposed.values()) nodes.delete(name)
  await machine?.leave()
  // As the pod garbage collector would: no kubelet is left to end them.
  const pods = world.store.list('pods') as unknown as KubeObject[]
  for (const { metadata, spec } of pods)
    if ((spec as { readonly nodeName?: string }).nodeName === name) world.store.remove('pods', `shop/${metadata.name}`)
  world.tell(`${name} leaves`)
}

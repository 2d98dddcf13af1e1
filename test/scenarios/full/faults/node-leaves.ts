import type { World } from '../world.ts'

export async function nodeLeaves(world: World): Promise<void> {
  if (world.machines.size < 3) return
  const machine = world.random.pick([...world.machines.values()])
  world.machines.delete(machine.name)
  await machine.leave()
  world.tell(`${machine.name} leaves`)
}

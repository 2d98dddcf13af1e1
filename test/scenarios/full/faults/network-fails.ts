import type { World } from '../world.ts'

export function networkFails(world: World): void {
  const machine = world.random.pick([...world.machines.values()])
  const { faults } = machine.host
  faults.network = faults.network === undefined ? 'lost' : undefined
  world.tell(`${machine.name} network: ${faults.network ?? 'back'}`)
}

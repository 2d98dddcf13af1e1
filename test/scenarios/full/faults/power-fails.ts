import type { World } from '../world.ts'

export function powerFails(world: World): void {
  const machine = world.random.pick([...world.machines.values()])
  const { dead } = machine.host.faults
  if (dead) machine.powerOn()
  else machine.powerOff()
  world.tell(`${machine.name} ${dead ? 'boots' : 'loses its power'}`)
}

import type { World } from '../world.ts'

/** At one of the next things that it does to its host; now and then at once. */
export function agentDies(world: World): void {
  const machine = world.random.pick([...world.machines.values()])
  if (machine.host.faults.dead) return
  const afterEffect = world.random.below(40)
  machine.startAgent(afterEffect === 0 ? undefined : { afterEffect })
  world.tell(`${machine.name} agent starts again, dies after effect ${afterEffect}`)
}

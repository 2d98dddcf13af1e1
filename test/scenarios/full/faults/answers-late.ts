import type { World } from '../world.ts'

/** What one process asks for is done at once, and the answer comes seconds or minutes later, or after its client has given up. */
export function answersLate(world: World): void {
  const machine = world.random.chance(0.5) ? world.random.pick([...world.machines.values()]) : undefined
  const seconds = world.random.pick([2, 10, 28, 90])
  const trouble = machine?.trouble ?? world.controllerTrouble
  trouble.answersLateUntil = world.clock.elapsed() + seconds * 1000
  world.tell(`${machine?.name ?? 'a controller'}: answers are late for ${seconds} s`)
}

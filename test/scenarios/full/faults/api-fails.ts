import type { World } from '../world.ts'

/** Some of the next requests of one process are refused, or done without its hearing of it. */
export function apiFails(world: World): void {
  const machine = world.random.chance(0.5) ? world.random.pick([...world.machines.values()]) : undefined
  const trouble = machine?.trouble ?? world.controllerTrouble
  const what = world.random.pick(['errors', 'lostAnswers'] as const)
  trouble[what] = 1 + world.random.below(5)
  world.tell(`${machine?.name ?? 'controller'} ${what}: ${trouble[what]}`)
}

import type { World } from '../world.ts'

/** What one process writes is held for seconds or minutes, as by a proxy: its client gives up, and the write arrives all the same. */
export function patchesLate(world: World): void {
  const machine = world.random.chance(0.8) ? world.random.pick([...world.machines.values()]) : undefined
  const seconds = world.random.pick([5, 25, 60, 150, 300])
  const trouble = machine?.trouble ?? world.controllerTrouble
  trouble.patchesLateUntil = world.clock.elapsed() + seconds * 1000
  world.tell(`${machine?.name ?? 'a controller'}: patches are late for ${seconds} s`)
}

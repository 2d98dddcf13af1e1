import type { World } from '../world.ts'

/** What one agent writes is held for seconds or minutes, as by a proxy: it gives up, and the write arrives all the same. */
export function patchesLate(world: World): void {
  const machine = world.random.pick([...world.machines.values()])
  const seconds = world.random.pick([5, 25, 60, 150, 300])
  machine.trouble.patchesLateUntil = world.clock.elapsed() + seconds * 1000
  world.tell(`${machine.name}: patches are late for ${seconds} s`)
}

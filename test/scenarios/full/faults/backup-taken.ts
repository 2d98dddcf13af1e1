import { takeBackup } from '../backup.ts'
import type { World } from '../world.ts'

const HOUR = 3_600_000

/** Now and then all clocks are ahead from then on, until it is restored. */
export function backupTaken(world: World): void {
  const ahead = world.random.pick([0, 0, HOUR, 24 * HOUR])
  endBackup(world)
  world.backup = { ...takeBackup(world), ahead }
  world.clock.jump(ahead)
  world.tell(`a backup of etcd is taken; all clocks go ahead by ${ahead / HOUR} h`)
}

/** Nobody restores it any more. */
export function endBackup(world: World): void {
  world.clock.jump(-(world.backup?.ahead ?? 0))
  world.backup = undefined
}

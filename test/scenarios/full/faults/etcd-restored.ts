import { restoreBackup } from '../backup.ts'
import type { World } from '../world.ts'
import { endBackup } from './backup-taken.ts'

/** Longer than leaders wait for an API server. */
const AWAY = 100_000
/** Some are told of it later. */
const LATER = 20_000

/** Nobody reaches the API server until it is done; some controllers begin when it is back. */
export function etcdRestored(world: World): void {
  if (world.backup === undefined) return
  if (world.random.chance(0.5)) world.startControllers()
  const until = world.clock.elapsed() + AWAY
  for (const trouble of world.troubles()) trouble.hungUntil = until + world.random.pick([0, 0, LATER])
  restoreBackup(world.backup, world)
  endBackup(world)
  world.tell(`etcd is restored from the backup, and back in ${AWAY / 1000} s`)
}

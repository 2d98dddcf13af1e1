import type { Random } from '../../random.ts'
import type { World } from '../world.ts'

/** The disk of a node is full, or its memory or its process ids run out; or it has enough again. Mostly of one that soaks. */
export function pressureComes(world: World, random: Random): void {
  const online = [...world.nodes.values()].filter(({ dead, offline }) => !dead && !offline)
  const applied = online.filter(({ shown }) => shown.status?.phase === 'Applied')
  if (online.length === 0) return
  const node = random.pick(applied.length > 0 && random.chance(0.8) ? applied : online)
  if (node.shown.pressures) node.relieve()
  else node.press(random.pick(['DiskPressure', 'MemoryPressure', 'PIDPressure']), world.now)
  world.tell(`${node.name} has ${node.shown.pressures?.[0]?.type ?? 'no pressure'}`)
}

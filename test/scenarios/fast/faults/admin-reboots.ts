import type { Random } from '../../random.ts'
import type { World } from '../world.ts'

/** A person asks that a node reboots, or all of a pool; or somebody blocks that one does. */
export function adminReboots(world: World, random: Random): void {
  const node = random.pick([...world.nodes.values()])
  if (random.chance(0.15)) node.refusesReboot = !node.refusesReboot
  const asked = random.chance(0.3) ? world.membersOf(node.pool) : [node]
  const at = new Date(world.now).toISOString()
  for (const each of asked) each.show({ rebootRequest: { boot: each.shown.bootId, at, reason: 'firmware' } })
  world.given.clear()
  world.tell(`to reboot: ${asked.map(({ name }) => name).join(', ')}; ${node.name} refuses: ${node.refusesReboot}`)
}

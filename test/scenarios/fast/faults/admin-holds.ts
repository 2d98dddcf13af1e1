import type { Random } from '../../random.ts'
import type { World } from '../world.ts'

export function adminHolds(world: World, random: Random): void {
  const node = random.pick([...world.nodes.values()])
  if (node.shown.hold === undefined) node.show({ hold: 'repair' })
  else node.unhold()
  world.tell(`${node.name} hold: ${node.shown.hold}`)
}

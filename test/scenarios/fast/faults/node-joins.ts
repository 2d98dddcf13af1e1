import type { Random } from '../../random.ts'
import type { World } from '../world.ts'

const MOST = 20

export function nodeJoins(world: World, random: Random): void {
  if (world.nodes.size >= MOST) return
  const pool = random.pick([...world.pools.keys()])
  const name = `j${world.told.length}`
  world.join(name, { pool, zone: `zone-${random.below(3)}` })
  world.tell(`${name} joins ${pool}`)
}

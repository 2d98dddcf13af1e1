import type { Random } from '../../random.ts'
import type { World } from '../world.ts'

/** Its labels change, and another pool selects it, or none; or a node that has served for long comes under management. */
export function nodeMoves(world: World, random: Random): void {
  const pools = [...world.pools.keys()]
  if (random.chance(0.5)) {
    const node = random.pick([...world.nodes.values()])
    node.pool = random.chance(0.3) ? NO_POOL : random.pick(pools)
    node.show({})
    world.tell(`${node.name} moves to ${node.pool || 'no pool'}`)
    return
  }
  const [pool, name] = [random.pick(pools), `l${world.told.length}`]
  world.join(name, { pool, zone: `zone-${random.below(3)}`, createdAt: world.now - DAY })
  world.tell(`${name}, which has served for a day, is labelled into ${pool}`)
}

const NO_POOL = ''
const DAY = 24 * 3_600_000

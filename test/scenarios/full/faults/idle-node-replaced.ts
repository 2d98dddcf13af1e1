import { hasEnded } from '../assignment.ts'
import type { World } from '../world.ts'
import { leave } from './node-leaves.ts'

/** An autoscaler removes a node that is not at work; now and then another machine has its name at once. */
export async function idleNodeReplaced(world: World): Promise<void> {
  const idle = world.nodes().filter((node) => hasEnded(node) && world.machines.has(node.metadata.name))
  if (idle.length === 0 || world.machines.size < 3) return
  const { name } = world.random.pick(idle).metadata
  const pool = world.machines.get(name)?.pool ?? ''
  await leave(name, world)
  if (!world.random.chance(0.5)) return
  await world.join(name, pool)
  world.tell(`another machine joins ${pool} as ${name}`)
}

import type { World } from '../world.ts'

const MOST = 9

export async function nodeJoins(world: World): Promise<void> {
  if (world.machines.size >= MOST) return
  const { name: pool } = world.random.pick(world.pools)
  const name = `j${world.told.length}`
  await world.join(name, pool)
  world.tell(`${name} joins ${pool}`)
}

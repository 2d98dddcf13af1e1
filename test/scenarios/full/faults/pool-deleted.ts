import { nodePoolsPath } from '../../../../src/controller/cache/node-pool-view.ts'
import type { World } from '../world.ts'

/** A person deletes a NodePool: the controller makes it again from the repository, and has forgotten what stood in its status. */
export async function poolDeleted(world: World): Promise<void> {
  const { name } = world.random.pick(world.pools)
  if (world.pool(name) === undefined) return
  await world.kube.delete(nodePoolsPath(name))
  world.tell(`NodePool ${name} is deleted`)
}

import { nodePoolsPath } from '../../../../src/controller/cache/node-pool-view.ts'
import { POOL_CONTROLS } from '../../../../src/protocol/names.ts'
import type { NodePoolStatus } from '../../../../src/protocol/node-pool.ts'
import type { World } from '../world.ts'

/** What failed last is to be tried once more, though nobody has repaired anything: by as many nodes as the first time. */
export async function operatorRetries(world: World): Promise<void> {
  const { name } = world.random.pick(world.pools)
  const { rejected = [] } = (world.pool(name)?.status ?? {}) as Partial<NodePoolStatus>
  const last = rejected.at(-1)
  if (last === undefined) return
  world.exposed.get(name)?.nodes.clear()
  await world.kube.patch(nodePoolsPath(name), { metadata: { annotations: { [POOL_CONTROLS.retry]: last.revision } } })
  world.tell(`an operator retries ${last.revision.slice(-4)} in ${name}`)
}

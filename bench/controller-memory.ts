/**
 * `node bench/controller-memory.ts [--nodes N]`: the memory of `nodewave controller` when the cluster has 15,000 Nodes of 10 kB, in five
 * pools of the example. The API server is in this process. Idle: 20 seconds after the rollout began and only waits for nodes.
 */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { API_GROUP, API_VERSION, NODEPOOLS } from '../src/protocol/names.ts'
import type { NodePoolStatus } from '../src/protocol/node-pool.ts'
import { startCluster, whenSeen } from './support/cluster.ts'
import { startController } from './support/controller-process.ts'
import { exampleCommit, POOL_LABELS } from './support/example-fleet.ts'
import { startFleetRepository } from './support/fleet-repository.ts'
import { aNode, register } from './support/nodes.ts'
import { print, readOptions } from './support/report.ts'

const IDLE = 20_000
/** Brings a Node to 10 kB. */
const IMAGES = 57
/** Nodes that are registered at a time. */
const BATCH = 500
const options = readOptions()
const count = options.nodes ?? 15_000
const { 'control-plane': controlPlane = '', ...others } = POOL_LABELS
const labels = Object.values(others)

await using cluster = await startCluster()
await using repository = await startFleetRepository(cluster.folder)
const { folder } = repository.git
for (const [path, file] of exampleCommit(0).files) {
  if (!path.startsWith('pools/workers-') || file.kind !== 'file') continue
  await writeFile(join(folder, path), file.bytes)
}
const commit = await repository.git.commit('fleet: the machines as they are to be')
for (let from = 0; from < count; from += BATCH) {
  const indices = Array.from({ length: Math.min(BATCH, count - from) }, (_, index) => from + index)
  await register(
    cluster.kube,
    indices.map((index) => aNode({ name: `node-${index}`, labels: { [labelOf(index)]: '' }, images: IMAGES })),
  )
}
const start = performance.now()
await using controller = startController({ repo: folder, kubeconfig: cluster.kubeconfig })
const ready = (await underWay()) - start
await sleep(IDLE)
const { resident, anonymous, peak } = await controller.usage()
const size = JSON.stringify(await cluster.kube.get('/api/v1/nodes/node-0')).length / 1000
const what = `controller, ${count} nodes of ${size.toFixed(1)} kB`
print(
  [
    { name: `${what}: start until every pool is under way`, value: ready, unit: 'ms' },
    { name: `${what}: resident memory`, value: resident, unit: 'MB', aim: 300 },
    { name: `${what}: of it anonymous`, value: anonymous, unit: 'MB' },
    { name: `${what}: highest resident memory`, value: peak, unit: 'MB' },
  ],
  options,
)

/** As clusters are: three nodes of the control plane. */
function labelOf(index: number): string {
  return index < 3 ? controlPlane : (labels[index % labels.length] ?? '')
}

/** Resolves when all nodes are counted in the status of their pools. */
function underWay(): Promise<number> {
  const totals = new Map<string, number>()
  return whenSeen(cluster.kube, {
    path: `/apis/${API_GROUP}/${API_VERSION}/${NODEPOOLS}`,
    wanted: ({ metadata, status }) => {
      const { target, nodes } = (status ?? {}) as Partial<NodePoolStatus>
      if (target?.revision === commit) totals.set(metadata.name, nodes?.total ?? 0)
      return [...totals.values()].reduce((sum, total) => sum + total, 0) === count
    },
  })
}

/**
 * `node bench/rollout.ts [--nodes N]`: a commit that changes every node of one pool, a tenth of them at a time, with agents that answer
 * at once. API server and agents in this process, the controller in its own; counted from the commit until the pool is Completed.
 */
import { API_GROUP, API_VERSION, NODEPOOLS } from '../src/protocol/names.ts'
import type { NodePoolStatus } from '../src/protocol/node-pool.ts'
import { startCluster, whenSeen } from './support/cluster.ts'
import { startController } from './support/controller-process.ts'
import { changeAllNodes, startFleetRepository } from './support/fleet-repository.ts'
import { startInstantAgents } from './support/instant-agents.ts'
import { aNode, register } from './support/nodes.ts'
import { median, print, readOptions } from './support/report.ts'

const FEW = 5
const MANY_NODES = 1_000
/** Of the workers in the example: without them, the budget of 10% alone says how many are taken. */
const WAVES = `    waves:
      - {name: canary, nodes: 1, soak: 0s}
      - {name: early, nodes: 20%, soak: 0s}
      - {name: rest, nodes: 100%}
`
const options = readOptions()
const count = options.nodes ?? 100
const RUNS = count > MANY_NODES ? 2 : FEW
const nodes = Array.from({ length: count }, (_, index) => `worker-${index}`)
const signal = new AbortController()

await using cluster = await startCluster()
await using repository = await startFleetRepository(cluster.folder)
const { git } = repository
await git.edit('pools/workers.yaml', WAVES, '')
const first = await git.commit('fleet: the machines as they are to be')
await register(
  cluster.kube,
  nodes.map((name) => aNode({ name, labels: { 'node-role.kubernetes.io/worker': '' } })),
)
const writes = startInstantAgents(cluster.kube, { nodes, signal: signal.signal })
await using controller = startController({ repo: git.folder, kubeconfig: cluster.kubeconfig })
await completed(first)

const seconds: number[] = []
const before = { requests: cluster.server.requests.count(), agents: writes.count, patches: nodePatches(), cpu: await cpu() }
for (let run = 0; run < RUNS; run++) {
  const commit = await changeAllNodes(git, run)
  const start = performance.now()
  seconds.push(((await completed(commit)) - start) / 1000)
}
const perNode = (after: number, from: number): number => (after - from) / RUNS / count
const written = writes.count - before.agents
print(
  [
    { name: `rollout, ${count} nodes at 10%`, value: median(seconds), unit: 's', ...(count === 100 && { aim: 2 }) },
    { name: `rollout, ${count} nodes at 10%, fastest`, value: Math.min(...seconds), unit: 's' },
    {
      name: 'rollout: writes to a Node, controller and agent',
      value: perNode(nodePatches(), before.patches),
      unit: 'per node',
      aim: 3,
    },
    {
      name: 'rollout: requests of the controller, of all kinds',
      value: perNode(cluster.server.requests.count() - written - 2 * RUNS, before.requests),
      unit: 'per node',
    },
    { name: 'rollout: CPU of the controller', value: perNode(await cpu(), before.cpu), unit: 'ms a node' },
    { name: 'rollout: resident memory of the controller', value: (await controller.usage()).resident, unit: 'MB' },
  ],
  options,
)
signal.abort()

async function cpu(): Promise<number> {
  return (await controller.usage()).cpu
}

function nodePatches(): number {
  return cluster.server.requests.count({ verb: 'patch', resource: 'nodes' })
}

/** Resolves with the time at which the workers were seen to have completed the commit. */
function completed(commit: string): Promise<number> {
  return whenSeen(cluster.kube, {
    path: `/apis/${API_GROUP}/${API_VERSION}/${NODEPOOLS}`,
    wanted: ({ metadata, status }) => {
      const { stable, conditions = [] } = (status ?? {}) as Partial<NodePoolStatus>
      const ready = conditions.find(({ type }) => type === 'Ready')
      return metadata.name === 'workers' && stable?.revision === commit && ready?.status === 'True'
    },
  })
}

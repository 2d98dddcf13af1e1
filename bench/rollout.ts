/**
 * `node bench/rollout.ts [--nodes N]`: a commit that changes every node of one pool, a tenth of them at a time, with agents that answer
 * at once. API server and agents in this process, the controller in its own; counted from the commit until the pool is Completed. CPU is
 * given twice: of the first rollouts, while Node.js compiles the controller, and of the same number of nodes after that.
 */
import { API_GROUP, API_VERSION, NODEPOOLS } from '../src/protocol/names.ts'
import type { NodePoolStatus } from '../src/protocol/node-pool.ts'
import { startCluster, whenSeen } from './support/cluster.ts'
import { startController } from './support/controller-process.ts'
import { changeAllNodes, startFleetRepository } from './support/fleet-repository.ts'
import { startInstantAgents } from './support/instant-agents.ts'
import { aNode, register } from './support/nodes.ts'
import { median, print, readOptions } from './support/report.ts'

/** Nodes changed in the first rollouts, and again in the others: a fleet of any size has then run the same code as often. */
const NODES_EACH = 5_000
/** Of the workers in the example: without them, the budget of 10% alone says how many are taken. */
const WAVES = `    waves:
      - {name: canary, nodes: 1, soak: 0s}
      - {name: early, nodes: 20%, soak: 0s}
      - {name: rest, nodes: 100%}
`
const options = readOptions()
const count = options.nodes ?? 100
const RUNS = Math.ceil(NODES_EACH / count)
const nodes = Array.from({ length: count }, (_, index) => `worker-${index}`)
const signal = new AbortController()

await using cluster = await startCluster()
await using repository = await startFleetRepository(cluster.folder)
const { git } = repository
await git.edit('pools/workers.yaml', WAVES, '')
const adopted = await git.commit('fleet: the machines as they are to be')
await register(
  cluster.kube,
  nodes.map((name) => aNode({ name, labels: { 'node-role.kubernetes.io/worker': '' } })),
)
const writes = startInstantAgents(cluster.kube, { nodes, signal: signal.signal })
await using controller = startController({ repo: git.folder, kubeconfig: cluster.kubeconfig })
await completed(adopted)

const first = await measure(0)
const second = await measure(RUNS)
const seconds = [...first.seconds, ...second.seconds]
print(
  [
    { name: `rollout, ${count} nodes at 10%`, value: median(seconds), unit: 's', ...(count === 100 && { aim: 2 }) },
    { name: `rollout, ${count} nodes at 10%, fastest`, value: Math.min(...seconds), unit: 's' },
    { name: 'rollout: writes to a Node, controller and agent', value: second.patches, unit: 'per node', aim: 3 },
    { name: 'rollout: requests of the controller, of all kinds', value: second.requests, unit: 'per node' },
    { name: `rollout: CPU of the controller, first ${RUNS} rollouts`, value: first.cpu, unit: 'ms a node' },
    { name: `rollout: CPU of the controller, ${RUNS} more`, value: second.cpu, unit: 'ms a node' },
    { name: 'rollout: resident memory of the controller', value: (await controller.usage()).resident, unit: 'MB' },
  ],
  options,
)
signal.abort()

/** Figures of the rollouts of some commits, the number of the first of which is given. */
async function measure(from: number) {
  const before = await counted()
  const seconds: number[] = []
  for (let run = from; run < from + RUNS; run++) {
    const commit = await changeAllNodes(git, run)
    const start = performance.now()
    seconds.push(((await completed(commit)) - start) / 1000)
  }
  const after = await counted()
  const perNode = (name: keyof typeof after): number => (after[name] - before[name]) / RUNS / count
  // To see the end of a rollout takes a list and a watch: they are none of the controller.
  return { seconds, patches: perNode('patches'), cpu: perNode('cpu'), requests: perNode('requests') - 2 / count }
}

/** So far. */
async function counted() {
  return { requests: cluster.server.requests.count() - writes.count, patches: nodePatches(), cpu: await cpu() }
}

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

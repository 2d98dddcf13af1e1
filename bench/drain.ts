/**
 * `node bench/drain.ts [--nodes N]`: a change before which every node of one pool is drained, a tenth of them at a time, with two pods on
 * each and agents that answer at once. API server and agents in this process, the controller in its own.
 */
import { API_GROUP, API_VERSION, NODEPOOLS } from '../src/protocol/names.ts'
import type { NodePoolStatus } from '../src/protocol/node-pool.ts'
import { startCluster, whenSeen } from './support/cluster.ts'
import { startController } from './support/controller-process.ts'
import { startFleetRepository } from './support/fleet-repository.ts'
import { startInstantAgents } from './support/instant-agents.ts'
import { aNode, register } from './support/nodes.ts'
import { print, readOptions } from './support/report.ts'

const PODS_A_NODE = 2
const options = readOptions()
const count = options.nodes ?? 100
const nodes = Array.from({ length: count }, (_, index) => `worker-${index}`)
const signal = new AbortController()

await using cluster = await startCluster()
const { kube, server } = cluster
await using repository = await startFleetRepository(cluster.folder)
const { git } = repository
const first = await git.commit('fleet: the machines as they are to be')
await register(
  kube,
  nodes.map((name) => aNode({ name, labels: { 'node-role.kubernetes.io/worker': '' } })),
)
const agents = startInstantAgents(kube, { nodes, signal: signal.signal })
await using _controller = startController({ repo: git.folder, kubeconfig: cluster.kubeconfig })
await completed(first)
await kube.create('/api/v1/namespaces', { metadata: { name: 'shop' } })
for (const node of nodes) for (let i = 0; i < PODS_A_NODE; i++) await addPod(`${node}-${i}`, node)

const before = { own: ofNodes(), requests: server.requests.count(), agents: agents.count, evictions: evictions() }
const start = performance.now()
await git.edit('pools/workers.yaml', '  rollout:\n', '  rollout:\n    drain: {mode: Always}\n')
await git.edit('config/workers.yaml', 'maxPods: 150', 'maxPods: 151')
const seconds = ((await completed(await git.commit('workers: 151 pods'))) - start) / 1000
const evicted = evictions() - before.evictions
// The bench itself follows the pools: a list and a watch.
const requests = server.requests.count() - before.requests - (agents.count - before.agents) - 2
print(
  [
    { name: `drain, ${count} nodes at 10%`, value: seconds, unit: 's' },
    {
      name: 'drain: patches of a Node, and reads of its pods',
      value: (ofNodes() - before.own) / count,
      unit: 'per node',
      aim: 4,
    },
    { name: 'drain: requests of all kinds, but evictions', value: (requests - evicted) / count, unit: 'per node' },
    { name: 'drain: evictions', value: evicted / count / PODS_A_NODE, unit: 'per pod', aim: 1 },
  ],
  options,
)
signal.abort()

/** Of the controller: agents write twice for a change, and the bench patches nothing. */
function ofNodes(): number {
  const reads = ['list', 'watch'].map((verb) => server.requests.count({ verb, resource: 'pods' }))
  return server.requests.count({ verb: 'patch', resource: 'nodes' }) - agents.count + reads.reduce((sum, read) => sum + read, 0)
}

function evictions(): number {
  return server.requests.count({ verb: 'create', resource: 'pods/eviction' })
}

async function addPod(name: string, nodeName: string): Promise<void> {
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'cart', uid: 'cart', controller: true }]
  const spec = { nodeName, containers: [{ name: 'cart', image: 'cart:1' }] }
  await kube.create('/api/v1/namespaces/shop/pods', { metadata: { name, ownerReferences }, spec })
}

/** Resolves with the time at which the workers were seen to have completed the commit. */
function completed(commit: string): Promise<number> {
  return whenSeen(kube, {
    path: `/apis/${API_GROUP}/${API_VERSION}/${NODEPOOLS}`,
    wanted: ({ metadata, status }) => {
      const { stable, conditions = [] } = (status ?? {}) as Partial<NodePoolStatus>
      const ready = conditions.find(({ type }) => type === 'Ready')
      return metadata.name === 'workers' && stable?.revision === commit && ready?.status === 'True'
    },
  })
}

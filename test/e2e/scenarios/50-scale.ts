/** What a rollout asks of the API server, counted by the server itself: nodes that are only objects, with agents that answer at once. */
import { startInstantAgents } from '../../../bench/support/instant-agents.ts'
import { createKubeClient } from '../../../src/kube/kube-client.ts'
import { loadKubeconfig } from '../../../src/kube/kubeconfig.ts'
import { versions } from '../build/versions.ts'
import { type Request, recordRequests } from '../cluster/audit.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { agentsKubeconfig, createKwokNodes } from '../cluster/kwok.ts'
import { CONTROLLER } from '../product/controller.ts'
import { productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'scale', nodes: [], run: scale }]

const count = 100
/** Without waves, which would each wait for their last node. */
const rollout = { maxUnavailable: '10%', waves: [{ name: 'all', nodes: '100%' }] }

async function scale(cluster: Cluster, { part, say }: Report): Promise<void> {
  const { names } = await part(`${count} kwok nodes`, () =>
    createKwokNodes(cluster, { nodes: count, version: versions.olderKubelet }),
  )
  const product = await productOn(cluster)
  const kube = createKubeClient(await loadKubeconfig(await agentsKubeconfig(cluster)))
  const ending = new AbortController()
  try {
    startInstantAgents(kube, { nodes: names, signal: ending.signal })
    await part('adopted', () => product.settle({ version: versions.olderKubelet, rollout }))
    const answered = await recordRequests(cluster.slot)
    await part('push of a version → pool Ready', () => product.settle({ version: versions.kubernetes, rollout }))
    const own = (await answered()).filter(({ user }) => user === CONTROLLER)
    say(`the controller's requests: ${JSON.stringify(counted(own))}`)
    const assigned = own.filter(({ verb, resource, code }) => verb === 'patch' && resource === 'nodes' && code === 200)
    check('each node is assigned by one patch', assigned.length === count, counted(own))
    check(
      'the controller makes two requests a node, its Role and its assignment, and few besides',
      own.length <= 2 * count + 20,
      counted(own),
    )
  } finally {
    ending.abort()
  }
}

/** How many of each kind. */
function counted(requests: readonly Request[]): Record<string, number> {
  const kinds = Map.groupBy(requests, ({ verb, resource, code }) => `${verb} ${resource} ${code}`)
  return Object.fromEntries([...kinds].map(([kind, all]) => [kind, all.length]))
}

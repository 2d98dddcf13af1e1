/** Two pools share the budget of the fleet: what an operator rolls back does not wait for a rollout that goes forward. */
import { startInstantAgents } from '../../../bench/support/instant-agents.ts'
import { createKubeClient } from '../../../src/kube/kube-client.ts'
import { loadKubeconfig } from '../../../src/kube/kubeconfig.ts'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { agentsKubeconfig, createKwokNodes } from '../cluster/kwok.ts'
import { operatorOf } from '../product/operator.ts'
import { completed, waitPool } from '../product/pool.ts'
import { type Product, productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'turns', nodes: [], run: turns }]

const version = versions.olderKubelet
const rollout = { maxUnavailable: '100%', waves: [{ name: 'all', nodes: '100%' }] }
/** Of `workers`, which goes forward, and of `small`, which goes back. */
const sizes = { workers: 120, small: 6 }

async function turns(cluster: Cluster, { part, say }: Report): Promise<void> {
  const labels = (index: number) => ({ 'e2e/pool': index < sizes.small ? 'small' : 'workers' })
  const { names } = await part('kwok nodes', () =>
    createKwokNodes(cluster, { nodes: sizes.workers + sizes.small, version, labels }),
  )
  const product = await productOn(cluster)
  const ending = new AbortController()
  try {
    startInstantAgents(createKubeClient(await loadKubeconfig(await agentsKubeconfig(cluster))), {
      nodes: names,
      signal: ending.signal,
    })
    const first = await part('adopted', () => push(cluster, product, { workers: 1, small: 1 }))
    await part('another commit for the small pool', () => push(cluster, product, { workers: 1, small: 2 }))
    await part('roll back the small pool while the other goes forward', () => rolledBack(cluster, product, { first, say }))
  } finally {
    ending.abort()
  }
}

/** Push flags for both pools, and wait until both have completed. */
async function push(cluster: Cluster, product: Product, flags: Flags): Promise<string> {
  const commit = await product.push(fleetWith(flags), `v=${flags.workers}, v=${flags.small}`)
  for (const pool of ['workers', 'small']) await waitPool(cluster, { pool, for: 'Ready', when: completed(commit) })
  return commit
}

async function rolledBack(
  cluster: Cluster,
  product: Product,
  { first, say }: { readonly first: string; readonly say: (line: string) => void },
): Promise<void> {
  const operator = await operatorOf(cluster)
  const forward = await product.push(fleetWith({ workers: 3, small: 2 }), 'the large pool goes forward')
  await waitPool(cluster, {
    for: 'the large pool to be on its way',
    when: ({ nodes, target }) => target?.revision === forward && nodes.current > 0,
  })
  const asked = await operator('rollback', 'small', '--to', first.slice(0, 12))
  check('the rollback is asked for', asked.code === 0, asked)
  await waitPool(cluster, {
    pool: 'small',
    for: 'the rollback to complete',
    when: ({ stable, nodes }) => stable?.revision === first && nodes.current === sizes.small,
  })
  const workers = await waitPool(cluster, { for: 'a status', when: () => true })
  say(`when the small pool was back, ${workers.nodes.current} of ${sizes.workers} nodes of the other had gone forward`)
  check('the pool that goes forward was not waited for', workers.nodes.current < sizes.workers, workers.nodes)
  await waitPool(cluster, { for: 'Ready', when: completed(forward) })
}

type Flags = Readonly<Record<'workers' | 'small', number>>

function fleetWith({ workers, small }: Flags) {
  return {
    limits: { maxUnavailable: 2 },
    version,
    selector: { 'e2e/pool': 'workers' },
    flags: { v: workers },
    rollout,
    others: { small: { version, selector: { 'e2e/pool': 'small' }, flags: { v: small }, rollout } },
  }
}

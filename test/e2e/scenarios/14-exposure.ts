/** Who may receive a commit: a first wave that waits for a person, and a node at work that is labelled into a pool whose window is closed. */
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { assignedNodes } from '../product/course.ts'
import { operatorOf } from '../product/operator.ts'
import { completed, waitPool } from '../product/pool.ts'
import { type Product, productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'
import { startTimeline } from '../timeline.ts'

export const scenarios: readonly Scenario[] = [{ name: 'exposure', nodes: [{}, {}], group: 'fleet', run: exposure }]

const version = versions.olderKubelet
const atOnce = { maxUnavailable: '100%', waves: [{ name: 'all', nodes: '100%' }] }
const selector = { 'e2e/pool': 'workers' }

async function exposure(cluster: Cluster, { part }: Report): Promise<void> {
  const product = await productOn(cluster)
  await part('fleet settled', () => product.settle({ version, config: { maxPods: 71 }, rollout: atOnce }))
  await part('a manual first wave changes no node before it is promoted', () => manualFirstWave(cluster, product))
  await part('a Ready node that is labelled into a pool waits for its window', () => labelledIn(cluster, product))
}

async function manualFirstWave(cluster: Cluster, product: Product): Promise<void> {
  const operator = await operatorOf(cluster, 'grace')
  using timeline = await startTimeline(cluster.api)
  const manual = { maxUnavailable: '100%', waves: [{ name: 'all', nodes: '100%', manual: true }] }
  const commit = await product.push({ version, config: { maxPods: 72 }, rollout: manual }, 'nobody before a person says so')
  await waitPool(cluster, {
    for: 'a promotion to be waited for',
    when: ({ observedRevision, conditions }) =>
      observedRevision === commit && conditions.some(({ reason }) => reason === 'WaitingForPromotion'),
  })
  check('no node has the commit', assignedNodes(await timeline.upToNow(), commit).length === 0)
  const promoted = await operator('promote', 'workers', '--wait')
  check('the promotion ends with 0', promoted.code === 0, promoted)
  await product.settled(commit)
}

async function labelledIn(cluster: Cluster, product: Product): Promise<void> {
  const label = (name: string) => cluster.kubectl(['label', 'node', name, 'e2e/pool=workers'])
  await label('n1')
  await product.settle({ version, selector, config: { maxPods: 73 }, rollout: atOnce })
  const closed = { ...atOnce, windows: [{ action: 'deny', dates: ['2020-01-01/2099-12-31'], timeZone: 'UTC' }] }
  const shut = await product.settle({ version, selector, config: { maxPods: 73 }, rollout: closed })
  using timeline = await startTimeline(cluster.api)
  await label('n2')
  const seen = await waitPool(cluster, { for: 'both nodes to be members', when: ({ nodes }) => nodes.total === 2 })
  check('it is Ready only when both nodes are done', seen.nodes.current === 1, seen)
  await waitPool(cluster, {
    for: 'the window to be waited for',
    when: ({ conditions }) => conditions.some(({ reason }) => reason === 'WaitingForWindow'),
  })
  const assigned = (await timeline.upToNow())
    .filter(({ node }) => node === 'n2')
    .map(({ annotations }) => annotations['desired-config'])
  check('the node that came keeps what it had', new Set(assigned).size === 1, assigned)
  const opened = await product.push({ version, selector, config: { maxPods: 73 }, rollout: atOnce }, 'the window is open')
  await waitPool(cluster, { for: `Ready at ${opened} or ${shut}`, when: completed(opened) })
  check('then it gets the content of its pool', ((await cluster.node('n2').get()).status.capacity.pods ?? '') === '73')
  await cluster.kubectl(['label', 'nodes', 'n1', 'n2', 'e2e/pool-'])
}

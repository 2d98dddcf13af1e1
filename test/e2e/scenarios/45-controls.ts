/** People steer a rollout by the command line, as an operator with no rights but those of the manifests. */
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { assignedNodes } from '../product/course.ts'
import { OPERATOR, type Operator, operatorOf } from '../product/operator.ts'
import { stallOf, waitPool } from '../product/pool.ts'
import { type Product, productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'
import { startTimeline } from '../timeline.ts'

export const scenarios: readonly Scenario[] = [{ name: 'controls', nodes: [{}, {}], group: 'fleet', run: controls }]

const byHand = {
  waves: [
    { name: 'canary', nodes: 1, soak: '0s' },
    { name: 'rest', nodes: '100%', manual: true },
  ],
}
/** What has no waves to keep to goes to both nodes at once. */
const good = { version: versions.olderKubelet, rollout: { maxUnavailable: '100%' } }
const withPods = (maxPods: number) => ({ ...good, config: { maxPods } })

async function controls(cluster: Cluster, { part }: Report): Promise<void> {
  const product = await productOn(cluster)
  const operator = await operatorOf(cluster)
  await part('fleet settled', () => product.settle(withPods(57)))
  const second = await part('pause in the middle of a wave, promote, resume', () => steered(cluster, product, operator))
  const third = await part('hold and release', () => heldBack(cluster, product, operator))
  await part('rollback --to and resume', () => rolledBack(product, operator, { second, third }))
  await part('retry of what fails again', () => retried(cluster, product, operator))
  await part('retry of a node that was repaired, amid the rollout', () => repaired(cluster, product, operator))
}

/** Gives the commit that every node has then. */
async function steered(cluster: Cluster, product: Product, operator: Operator): Promise<string> {
  using timeline = await startTimeline(cluster.api)
  const commit = await product.push({ ...withPods(102), rollout: { ...good.rollout, ...byHand } }, 'more pods, the rest by hand')
  await waitPool(cluster, { for: 'the canary to be under way', when: ({ nodes }) => (nodes.byPhase.Applying ?? 0) > 0 })
  await says(operator, ['pause', 'workers', '--reason', 'a look first', '--wait'], 'no node is changing')
  check('the canary ended what it began, and no other began', assignedNodes(await timeline.upToNow(), commit).length === 1)
  await operator('resume', 'workers')
  await waitPool(cluster, {
    for: 'a promotion to be waited for',
    when: ({ conditions }) => conditions.some(({ reason }) => reason === 'WaitingForPromotion'),
  })
  check('the second node waits', assignedNodes(await timeline.upToNow(), commit).length === 1)
  await says(operator, ['promote', 'workers', '--wait'], 'is approved')
  await product.settled(commit)
  return commit
}

async function heldBack(cluster: Cluster, product: Product, operator: Operator): Promise<string> {
  await says(operator, ['hold', 'n2', '--reason', 'memory is being replaced', '--wait'], 'excluded from rollouts')
  using timeline = await startTimeline(cluster.api)
  const commit = await product.push(withPods(103), 'yet more pods')
  const done = await waitPool(cluster, {
    for: 'the other node to be done',
    when: ({ stable }) => stable?.revision === commit,
  })
  check('the held node was left out', !assignedNodes(await timeline.upToNow(), commit).includes('n2'), done.nodes)
  check('the pool says who holds it', done.held[0]?.who === OPERATOR, done.held)
  await says(operator, ['release', 'n2', '--wait'], 'included in rollouts again')
  await product.settled(commit)
  return commit
}

async function rolledBack(
  product: Product,
  operator: Operator,
  { second, third }: { readonly second: string; readonly third: string },
): Promise<void> {
  await says(operator, ['rollback', 'workers', '--to', second.slice(0, 8), '--wait'], 'Completed')
  const status = await operator('status', 'workers')
  check('the status says who rolled back', status.stdout.includes(`rolled back to ${second.slice(0, 7)} by ${OPERATOR}`), status)
  await says(operator, ['resume', 'workers', '--wait'], 'follows the repository again')
  await product.settled(third)
}

async function retried(cluster: Cluster, product: Product, operator: Operator): Promise<void> {
  const bad = { ...withPods(103), flags: { 'tls-cipher-suites': 'NO_SUCH' } }
  const commit = await product.push(bad, 'a cipher suite that the kubelet does not have')
  await waitPool(cluster, {
    for: 'the refusal',
    when: ({ rejected }) => rejected.some(({ revision }) => revision === commit),
  })
  const again = await operator('retry', 'workers', '--wait')
  check('a retry that fails ends with 1, and says why', again.code === 1 && again.stdout.includes('NO_SUCH'), again)
  const history = await operator('history', 'workers')
  check('the history tells of the retry', history.stdout.includes(`${OPERATOR}: Retry`), history)
  const ofNode = await operator('history', 'n1')
  check('the node tells what it ran before', ofNode.stdout.includes(versions.olderKubelet), ofNode)
  await product.settled(await product.repository.revert(commit))
}

/** The path of the runtime's socket that the commit names is missing on one host, until an operator makes it. */
async function repaired(cluster: Cluster, product: Product, operator: Operator): Promise<void> {
  const link = (node: string) =>
    cluster.node(node).exec(['ln', '-s', '/run/containerd/containerd.sock', '/run/containerd/other.sock'])
  await link('n2')
  const rollout = { ...good.rollout, maxFailures: 1, waves: [{ name: 'both', nodes: 2, soak: '1h' }] }
  const flags = { 'container-runtime-endpoint': 'unix:///run/containerd/other.sock' }
  const commit = await product.push({ ...withPods(103), rollout, flags }, 'another path of the same socket')
  const one = await waitPool(cluster, {
    for: 'one node to have failed, and the other one to soak',
    when: ({ target, failed, nodes }) => target?.revision === commit && failed.length === 1 && nodes.byPhase.Soaking === 1,
  })
  check('the host without the path has failed', one.failed[0]?.node === 'n1', one.failed)
  check('the pool says what helps', stallOf(one).includes('repair what is to blame, then: nodewave retry workers'), stallOf(one))
  await link('n1')
  await says(operator, ['retry', 'workers'], 'another path of the same socket')
  const both = await waitPool(cluster, {
    for: 'both nodes to soak',
    when: ({ failed, nodes }) => failed.length === 0 && nodes.byPhase.Soaking === 2,
  })
  check('the rollout is still the same', both.history[0]?.startedAt === one.history[0]?.startedAt, both.history)
  await product.settled(await product.repository.revert(commit))
}

async function says(operator: Operator, args: readonly string[], wanted: string): Promise<void> {
  const result = await operator(...args)
  check(
    `nodewave ${args.join(' ')} ends with 0 and says "${wanted}"`,
    result.code === 0 && result.stdout.includes(wanted),
    result,
  )
}

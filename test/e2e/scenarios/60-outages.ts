/** Whatever goes away in the middle of a rollout and comes back: the rollout goes on from what the cluster and the disks know. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { NodePoolStatus } from '../../../src/protocol/node-pool.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import { waitUntil } from '../cluster/wait.ts'
import { assignedNodes, checkAssignedOnce, checkOneByOne, firstSays, isAssigned } from '../product/course.ts'
import { waitPool } from '../product/pool.ts'
import type { Product } from '../product/product.ts'
import { allAt, beginUpgrade } from '../product/upgrade.ts'
import { check, type Report, type Scenario } from '../scenario.ts'
import { startTimeline } from '../timeline.ts'

export const scenarios: readonly Scenario[] = [
  { name: 'api-outage', nodes: [{}, {}], group: 'outages', run: apiOutage },
  { name: 'power-cut', nodes: [{}, {}], group: 'outages', run: (cluster, report) => powerCut(cluster, report, 'intent') },
  { name: 'power-cut-late', nodes: [{}, {}], group: 'outages', run: (cluster, report) => powerCut(cluster, report, 'committed') },
  { name: 'controller-killed', nodes: [{}, {}], group: 'outages', run: controllerKilled },
]

/** The node that is being upgraded ends its work without an API server, and keeps what it proved. */
async function apiOutage(cluster: Cluster, { part }: Report): Promise<void> {
  using timeline = await startTimeline(cluster.api)
  const { product, commit, version, node } = await beginUpgrade(cluster, timeline)
  await waitInTransaction(node, 'intent')
  await part('API server away until the node has ended its work', async () => {
    await cluster.stop('kube-apiserver')
    await waitUntil(() => hasEnded(node, commit), { for: `"${node.name}" to end its work` })
    cluster.start('kube-apiserver')
    await cluster.waitReady()
  })
  await part('API server back → node says so', () => firstSays(timeline, node.name, { commit, phase: 'Applied' }))
  await part('… → all nodes upgraded', () => product.settled(commit))
  await allAt(cluster, version)
}

/** Before the commit mark the agent undoes what it finds after the boot, and begins again; after it, it goes on to prove it. */
async function powerCut(cluster: Cluster, { part }: Report, mark: 'intent' | 'committed'): Promise<void> {
  using timeline = await startTimeline(cluster.api)
  const { product, commit, version, node } = await beginUpgrade(cluster, timeline)
  await part('power cut in the middle of the transaction, boot', async () => {
    await waitInTransaction(node, mark)
    await node.powerOff()
    await node.boot()
  })
  await part('booted → all nodes upgraded', () => product.settled(commit))
  checkOneByOne(await timeline.upToNow(), commit)
  check(
    'the agent found what the power cut had left',
    (await node.journal('nodewave-agent', 1000)).includes('found a transaction'),
  )
  await allAt(cluster, version)
}

/** The second node is still to come, the repository cannot be reached, and the new controller's disk is empty. */
async function controllerKilled(cluster: Cluster, { part }: Report): Promise<void> {
  using timeline = await startTimeline(cluster.api)
  const { product, commit, version, node } = await beginUpgrade(cluster, timeline)
  await product.controller.kill('SIGKILL')
  await cluster.git.stop()
  await part('the node ends its work alone', () => firstSays(timeline, node.name, { commit, phase: 'Applied' }))
  const taken = assignedNodes(await timeline.upToNow(), commit)
  check('one node is still to come', taken.join() === node.name, taken)
  await part('new controller, no disk, no Git → next node assigned', async () => {
    await product.restartController(join(cluster.slot.dir, `controller-${commit}`))
    await timeline.first((moment) => isAssigned(moment, commit) && moment.node !== node.name, 'the next node')
  })
  await part('… → all nodes upgraded', () => product.settled(commit))
  await allAt(cluster, version)
  const moments = await timeline.upToNow()
  checkOneByOne(moments, commit)
  checkAssignedOnce(moments, commit)
  await revisionLost(cluster, { product, commit, part })
  const later = (await timeline.upToNow()).slice(moments.length)
  const others = later.filter(({ annotations }) => !annotations['desired-config']?.includes(commit))
  check('no node was assigned another commit', others.length === 0, others)
}

/** Git is still away, and somebody has deleted what the cluster kept of the newest commit. */
async function revisionLost(
  cluster: Cluster,
  { product, commit, part }: { readonly product: Product; readonly commit: string; readonly part: Report['part'] },
): Promise<void> {
  await product.controller.kill('SIGKILL')
  await cluster.kubectl(['-n', 'nodewave-revisions', 'delete', 'configmap', `fleet-${commit.slice(0, 12)}-0`])
  await part('new controller, no disk, no Git, no revision → pool says so', async () => {
    await product.restartController(join(cluster.slot.dir, 'controller-lost'))
    const isUnread = ({ conditions }: NodePoolStatus) => conditions.some(({ reason }) => reason === 'RepositoryUnread')
    await waitPool(cluster, { for: 'RepositoryUnread', when: isUnread })
  })
  await cluster.git.start()
  await part('Git back → Ready again', () => product.settled(commit))
}

/** By what is on the node's own disk. */
async function hasEnded(node: Node, commit: string): Promise<boolean> {
  const outcome = await readState(node, 'meta/outcome.json')
  return outcome.includes(commit) && outcome.includes('"phase":"Applied"')
}

async function waitInTransaction(node: Node, mark: 'intent' | 'committed'): Promise<void> {
  const written = async () => (await readState(node, 'journal.jsonl')).includes(`"at":"${mark}"`)
  await waitUntil(written, { for: `"${node.name}" to write "${mark}"`, everyMs: 5 })
}

function readState({ root }: Node, file: string): Promise<string> {
  return readFile(join(root, 'var/lib/nodewave', file), 'utf8')
}

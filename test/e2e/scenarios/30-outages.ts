/** Whatever goes away in the middle of a roll-out and comes back: the roll-out goes on from what the cluster and the disks know. */
import { join } from 'node:path'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import { waitUntil } from '../cluster/wait.ts'
import { assignedNodes, checkOneByOne, firstSays, isAssigned } from '../product/course.ts'
import { allAt, beginUpgrade } from '../product/upgrade.ts'
import { check, type Report, type Scenario } from '../scenario.ts'
import { startTimeline } from '../timeline.ts'

export const scenarios: readonly Scenario[] = [
  { name: 'api-outage', nodes: [{}, {}], group: 'fleet', run: apiOutage },
  { name: 'power-cut', nodes: [{}, {}], group: 'fleet', run: (cluster, report) => powerCut(cluster, report, 'intent') },
  { name: 'power-cut-late', nodes: [{}, {}], group: 'fleet', run: (cluster, report) => powerCut(cluster, report, 'committed') },
  { name: 'controller-killed', nodes: [{}, {}], group: 'fleet', run: controllerKilled },
]

/** The node that is being upgraded ends its work without an API server, and keeps what it proved. */
async function apiOutage(cluster: Cluster, { part }: Report): Promise<void> {
  using timeline = startTimeline(cluster.api)
  const { product, commit, version, node } = await beginUpgrade(cluster, timeline)
  await firstSays(timeline, node.name, { commit, phase: 'Applying' })
  await part('API server away until the node has ended its work', async () => {
    await cluster.stop('kube-apiserver')
    await waitUntil(() => hasEnded(node, commit), { for: `"${node.name}" to end its work`, timeoutMs: 60_000 })
    cluster.start('kube-apiserver')
    await cluster.waitReady()
  })
  await part('API server back → node says so', () => firstSays(timeline, node.name, { commit, phase: 'Applied' }))
  await part('… → all nodes upgraded', () => product.settled(commit))
  await allAt(cluster, version)
}

/** Before the commit mark the agent undoes what it finds after the boot, and begins anew; after it, it goes on to prove it. */
async function powerCut(cluster: Cluster, { part }: Report, mark: 'intent' | 'committed'): Promise<void> {
  using timeline = startTimeline(cluster.api)
  const { product, commit, version, node } = await beginUpgrade(cluster, timeline)
  await part('power cut in the middle of the transaction, boot', async () => {
    await waitUntil(() => isInTransaction(node, mark), {
      for: `"${node.name}" to write "${mark}"`,
      timeoutMs: 30_000,
      everyMs: 5,
    })
    await node.powerOff()
    await node.boot()
  })
  await part('booted → all nodes upgraded', () => product.settled(commit))
  checkOneByOne(timeline, commit)
  check(
    'the agent found what the power cut had left',
    (await node.journal('nodewave-agent', 1000)).includes('found a transaction'),
  )
  await allAt(cluster, version)
}

/** The second node is still to come, the repository cannot be reached, and the new controller's disk is empty. */
async function controllerKilled(cluster: Cluster, { part }: Report): Promise<void> {
  using timeline = startTimeline(cluster.api)
  const { product, commit, version, node } = await beginUpgrade(cluster, timeline)
  await product.controller.kill('SIGKILL')
  await cluster.git.stop()
  await part('the node ends its work alone', () => firstSays(timeline, node.name, { commit, phase: 'Applied' }))
  check('one node is still to come', assignedNodes(timeline, commit).join() === node.name, assignedNodes(timeline, commit))
  await part('new controller, no disk, no Git → next node assigned', async () => {
    await product.restartController(join(cluster.slot.dir, `controller-${commit}`))
    await timeline.first((moment) => isAssigned(moment, commit) && moment.node !== node.name, 'the next node')
  })
  await part('… → all nodes upgraded', () => product.settled(commit))
  await allAt(cluster, version)
  checkOneByOne(timeline, commit)
  const assignments = new Set(
    timeline.moments
      .filter((moment) => moment.node === node.name && isAssigned(moment, commit))
      .map(({ annotations }) => annotations['desired-config']),
  )
  check('the first node was not assigned anew', assignments.size === 1, [...assignments])
  await cluster.git.start()
}

/** By what is on the node's own disk. */
async function hasEnded(node: Node, commit: string): Promise<boolean> {
  const outcome = await node.read('/var/lib/nodewave/meta/outcome.json')
  return outcome.includes(commit) && outcome.includes('"phase":"Applied"')
}

async function isInTransaction(node: Node, mark: string): Promise<boolean> {
  return (await node.read('/var/lib/nodewave/journal.jsonl')).includes(`"at":"${mark}"`)
}

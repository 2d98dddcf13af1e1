/** Etcd is restored from a backup: agents keep what they have, and controllers go on from what agents say. */
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type AgentStatus, parseAgentStatus } from '../../../src/protocol/agent-status.ts'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import { waitUntil } from '../cluster/wait.ts'
import { BREAK_GLASS } from '../product/break-glass.ts'
import { productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [
  { name: 'restored', nodes: [{}, {}], group: 'outages', run: restored },
  { name: 'restored-before', nodes: [{}, {}], group: 'outages', run: restoredBefore },
]

/** Every Node shows what it was assigned before, at the same time; no agent goes back to that. */
async function restored(cluster: Cluster, { part }: Report): Promise<void> {
  const product = await productOn(cluster)
  const version = versions.olderKubelet
  await product.settle({ version, flags: { v: 2 } })
  await part('backup of etcd', () => backUp(cluster))
  await part('counters of a clock that is far ahead → accepted', () => setCountersAhead(cluster))
  const fleet = { version, flags: { v: 3 }, rollout: { proof: { pod: { timeout: '45s' } } } }
  const commit = await part('push → all nodes changed', () => product.settle(fleet))
  const before = await Promise.all(cluster.nodes.map(kubeletOf))
  await part('etcd of the backup', () => restore(cluster))
  await part('… → pool Ready at the commit again', () => product.settled(commit))
  const after = await Promise.all(cluster.nodes.map(kubeletOf))
  check('no kubelet was restarted', after.join() === before.join(), { before, after })
  await Promise.all(cluster.nodes.map((node) => node.waitReady()))
  await part('push → all nodes changed again', () => product.settle({ version, flags: { v: 4 } }))
}

/** The backup is of a time when the nodes were assigned nothing, and not Ready. */
async function restoredBefore(cluster: Cluster, { part }: Report): Promise<void> {
  const product = await productOn(cluster)
  const version = versions.olderKubelet
  await product.settle({ version, flags: { v: 2 } })
  const pause = async (value: string) => void (await cluster.kubectl(['annotate', '--overwrite', 'nodepools', '--all', value]))
  await pause('nodewave.io/paused=restore')
  await part('assignments removed → Reverted', () => removeAssignments(cluster))
  await Promise.all(cluster.nodes.map((node) => showNotReady(node, cluster)))
  await part('backup of etcd', () => backUp(cluster))
  await pause('nodewave.io/paused-')
  const fleet = { version, flags: { v: 3 }, rollout: { trial: '10m' } }
  const commit = await part('push → all nodes changed', () => product.settle(fleet))
  const before = await Promise.all(cluster.nodes.map(kubeletOf))
  await part('much written that the backup does not hold', () => writeMuch(cluster))
  await part('etcd of the backup', () => restore(cluster))
  const restoredAt = performance.now()
  await part('… → each agent says that its assignment is lost', () =>
    untilAll(cluster, 'to miss its assignment', ({ error }) => error?.reason === 'AssignmentLost'),
  )
  await part('… and keeps its host, though the Node is not Ready for long', () => waitUntilTime(restoredAt + LONG_NOT_READY))
  const after = await Promise.all(cluster.nodes.map(kubeletOf))
  check('no kubelet was restarted', after.join() === before.join(), { before, after })
  // A kubelet reports what it believes to have written every five minutes, and when it is started.
  await Promise.all(cluster.nodes.map((node) => node.exec(['systemctl', 'restart', 'kubelet'])))
  await pause('nodewave.io/paused-')
  await part('… → pool Ready at the commit again', () => product.settled(commit))
}

/** As a kubelet does whose runtime is down. */
async function showNotReady({ name }: Node, cluster: Cluster): Promise<void> {
  const conditions = [{ type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: 'container runtime is down' }]
  await cluster.kubectl(['patch', 'node', name, '--subresource=status', '-p', JSON.stringify({ status: { conditions } })])
}

/** Until as much has been written again after the restore, no watch shows a kubelet that its Node has changed. */
async function writeMuch(cluster: Cluster): Promise<void> {
  const items = Array.from({ length: 400 }, (_, index) => configMap(`lost-${index}`))
  await cluster.kubectl(['create', '-f', '-'], { input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) })
}

function configMap(name: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } }
}

/** More than the 90 s after which an agent takes a change back. */
const LONG_NOT_READY = 125_000

async function waitUntilTime(end: number): Promise<void> {
  await waitUntil(() => performance.now() > end, { for: 'the time to pass' })
}

async function removeAssignments(cluster: Cluster): Promise<void> {
  const names = cluster.nodes.map(({ name }) => name)
  await cluster.kubectl([...BREAK_GLASS, 'annotate', 'nodes', ...names, `${DESIRED}-`])
  await untilAll(cluster, 'to give its host back', ({ phase }) => phase === 'Reverted')
}

async function untilAll(cluster: Cluster, what: string, holds: (status: AgentStatus) => boolean): Promise<void> {
  for (const node of cluster.nodes) {
    const status = async () => parseAgentStatus((await annotationsOf(node))['nodewave.io/status'])
    await waitUntil(async () => holds((await status()) ?? { phase: 'Fetching', since: '' }), { for: `"${node.name}" ${what}` })
  }
}

const AHEAD = 200 * 86_400_000
const DESIRED = 'nodewave.io/desired-config'

/** What a controller writes whose clock is ahead; the backup knows nothing of it. */
async function setCountersAhead(cluster: Cluster): Promise<void> {
  const COUNTER = Date.now() + AHEAD
  for (const node of cluster.nodes) {
    const text = JSON.stringify({ ...JSON.parse((await annotationsOf(node))[DESIRED] ?? ''), COUNTER })
    await cluster.kubectl([...BREAK_GLASS, 'annotate', '--overwrite', 'node', node.name, `${DESIRED}=${text}`])
    const accepted = async () => parseAgentStatus((await annotationsOf(node))['nodewave.io/status'])?.counter
    await waitUntil(async () => (await accepted()) === COUNTER, { for: `"${node.name}" to accept a counter that is ahead` })
  }
}

async function annotationsOf(node: Node): Promise<Readonly<Record<string, string>>> {
  return (await node.get()).metadata.annotations ?? {}
}

function placesOf({ slot }: Cluster): { readonly data: string; readonly backup: string } {
  return { data: join(slot.dir, 'etcd'), backup: join(slot.dir, 'etcd-backup') }
}

async function backUp(cluster: Cluster): Promise<void> {
  const { data, backup } = placesOf(cluster)
  await rm(backup, { recursive: true, force: true })
  await whileEtcdIsAway(cluster, () => cp(data, backup, { recursive: true }))
}

async function restore(cluster: Cluster): Promise<void> {
  const { data, backup } = placesOf(cluster)
  await whileEtcdIsAway(cluster, async () => {
    await rm(data, { recursive: true })
    await cp(backup, data, { recursive: true })
  })
}

async function whileEtcdIsAway(cluster: Cluster, work: () => Promise<void>): Promise<void> {
  const parts = ['kube-scheduler', 'kube-controller-manager', 'kube-apiserver', 'etcd'] as const
  for (const name of parts) await cluster.stop(name)
  await work()
  for (const name of parts.toReversed()) cluster.start(name)
  await cluster.waitReady()
}

async function kubeletOf(node: Node): Promise<string> {
  return (await node.unit()).MainPID
}

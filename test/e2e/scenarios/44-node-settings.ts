/** Labels, annotations and taints of the Node from Git, beside those that others wrote, with the rights that the controller has. */
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { waitUntil } from '../cluster/wait.ts'
import type { FleetOptions } from '../product/fleet.ts'
import { checkNotRestarted, kubeletsOf } from '../product/kubelets.ts'
import { type Product, productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'node-settings', nodes: [{}, {}], group: 'fleet', run: nodeSettings }]

const fleet: FleetOptions = { version: versions.olderKubelet }
const node = {
  labels: { 'example.com/tier': 'front', 'example.com/shared': 'git' },
  annotations: { 'example.com/owner': 'team-a' },
  taints: [{ key: 'example.com/dedicated', value: 'front', effect: 'PreferNoSchedule' }],
}

/** Of Git, and of others. */
const GIT = ['label tier=front', 'label shared=git', 'annotation owner=team-a', 'taint dedicated=front:PreferNoSchedule']
const THEIRS = ['label theirs=yes', 'annotation theirs=yes', 'taint theirs=yes:PreferNoSchedule']

async function nodeSettings(cluster: Cluster, { part }: Report): Promise<void> {
  const product = await productOn(cluster)
  await part('fleet settled', () => product.settle(fleet))
  await ofOthers(cluster)
  const kubelets = await kubeletsOf(cluster)
  await part('labels, annotations and taints → pool Ready', () => product.settle({ ...fleet, node }))
  await checkAll(cluster, [...GIT, ...THEIRS])
  await checkNotRestarted(cluster, kubelets)
  await part('changed by hand → written again', () => byHand(cluster))
  await part('changed by another controller each time → named, and left alone', () => fought(cluster))
  await part('the next commit writes them again', () => nextCommit(cluster, product))
  await part('a kubelet that restarts leaves them', () => restarted(cluster))
  await part('nothing named → those of others are left', () => product.settle(fleet))
  await checkAll(cluster, THEIRS)
  await cluster.kubectl(['label', 'nodes', '--all', 'example.com/theirs-'])
  await cluster.kubectl(['annotate', 'nodes', '--all', 'example.com/theirs-'])
  await cluster.kubectl(['taint', 'nodes', '--all', 'example.com/theirs-'])
}

/** One key is theirs and named in Git, too: it gets Git's value. */
async function ofOthers(cluster: Cluster): Promise<void> {
  await cluster.kubectl(['label', 'nodes', '--all', 'example.com/theirs=yes', 'example.com/shared=others'])
  await cluster.kubectl(['annotate', 'nodes', '--all', 'example.com/theirs=yes'])
  await cluster.kubectl(['taint', 'nodes', '--all', 'example.com/theirs=yes:PreferNoSchedule'])
}

async function byHand(cluster: Cluster): Promise<void> {
  await cluster.kubectl(['label', 'node', 'n1', '--overwrite', 'example.com/tier=hand', 'example.com/shared-'])
  await cluster.kubectl(['taint', 'node', 'n1', 'example.com/dedicated-'])
  await waitLines(cluster, GIT)
  await checkAll(cluster, [...GIT, ...THEIRS])
}

/** The label was written again once before. */
async function fought(cluster: Cluster): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await cluster.kubectl(['label', 'node', 'n1', '--overwrite', `example.com/tier=fight-${round}`])
    await waitLines(cluster, ['label tier=front'])
  }
  await cluster.kubectl(['label', 'node', 'n1', '--overwrite', 'example.com/tier=won'])
  const contested = await waitUntil(() => contestedOf(cluster), { for: '"n1" to say who fights' })
  check('kubectl is named', contested['label example.com/tier'] === 'kubectl-label', contested)
  check('the label is left to it', (await settingsOf(cluster, 'n1')).includes('label tier=won'))
}

async function contestedOf({ api }: Cluster): Promise<Readonly<Record<string, string>> | undefined> {
  const { metadata } = await api.ask<ApiNode>('/api/v1/nodes/n1')
  return JSON.parse(metadata.annotations?.['nodewave.io/node-settings'] ?? '{}').contested
}

async function waitLines(cluster: Cluster, expected: readonly string[]): Promise<void> {
  const hasAll = async () => {
    const found = await settingsOf(cluster, 'n1')
    return expected.every((line) => found.includes(line))
  }
  await waitUntil(hasAll, { for: `"n1" to have ${expected.join(', ')}` })
}

async function nextCommit(cluster: Cluster, product: Product): Promise<void> {
  await product.settle({ ...fleet, node: { ...node, annotations: { 'example.com/owner': 'team-b' } } })
  await checkAll(cluster, [...GIT.map((line) => line.replace('team-a', 'team-b')), ...THEIRS])
}

async function restarted(cluster: Cluster): Promise<void> {
  const before = await settingsOf(cluster, 'n1')
  const machine = cluster.node('n1')
  await machine.exec(['systemctl', 'restart', 'kubelet'])
  await machine.waitReady()
  check('they are the same', JSON.stringify(await settingsOf(cluster, 'n1')) === JSON.stringify(before), before)
}

async function checkAll(cluster: Cluster, expected: readonly string[]): Promise<void> {
  for (const { name } of cluster.nodes) {
    const found = await settingsOf(cluster, name)
    check(`"${name}" has these and no others`, JSON.stringify(found) === JSON.stringify(expected.toSorted()), found)
  }
}

interface ApiNode {
  readonly metadata: {
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec: { readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[] }
}

/** Those of example.com, which nobody but this scenario writes. */
async function settingsOf({ api }: Cluster, name: string): Promise<string[]> {
  const { metadata, spec } = await api.ask<ApiNode>(`/api/v1/nodes/${name}`)
  const lines = (what: string, texts: Readonly<Record<string, string>> = {}) =>
    Object.entries(texts).map(([key, value]) => `${what} ${key}=${value}`)
  const taints = (spec.taints ?? []).map(({ key, value = '', effect }) => `taint ${key}=${value}:${effect}`)
  return [...lines('label', metadata.labels), ...lines('annotation', metadata.annotations), ...taints]
    .filter((line) => /^\w+ example\.com\//.test(line))
    .map((line) => line.replace('example.com/', ''))
    .toSorted()
}

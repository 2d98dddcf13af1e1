/** What others do to a host and to the agent's memory, on real nodes: kubeadm's rewrite, units that crash later, another version of the agent. */
import { bundleAgent } from '../../../scripts/bundle-agent.ts'
import { hasHistory, previousBundle, secondBundleBefore } from '../../package/previous-bundle.ts'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { kubeletConfig } from '../cluster/kubelet-config.ts'
import type { Node } from '../cluster/node.ts'
import { waitUntil } from '../cluster/wait.ts'
import { agentProgram, agentUnit } from '../product/agent.ts'
import { checkNotRestarted, kubeletsOf } from '../product/kubelets.ts'
import { rolledBack, stallOf, waitPool } from '../product/pool.ts'
import { type Product, productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [
  { name: 'rewritten', nodes: [{}, {}], group: 'fleet', run: rewritten },
  { name: 'crash-later', nodes: [{}, {}], group: 'fleet', run: crashLater },
  { name: 'agent-versions', nodes: [{}, {}], group: 'fleet', run: agentVersions },
]

const config = '/var/lib/kubelet/config.yaml'
const memory = '/var/lib/nodewave'
const good = { version: versions.olderKubelet, rollout: { onFailure: 'Rollback' } }

/** `kubeadm upgrade node` writes the whole file: what it says is merged with what the next commit says. */
async function rewritten(cluster: Cluster, { part }: Report): Promise<void> {
  const product = await productOn(cluster)
  await part('fleet settled', () => product.settle({ ...good, config: { maxPods: 57 } }))
  const written = `${kubeletConfig()}imageMaximumGCAge: 720h\n`
  for (const node of cluster.nodes) await node.write({ path: config, content: written })
  await part('file rewritten on every node, commit → Ready', () => product.settle({ ...good, config: { maxPods: 58 } }))
  for (const node of cluster.nodes) {
    const found = await node.read(config)
    check(`"${node.name}" has what kubeadm wrote and what the commit says`, found === `${written}maxPods: 58\n`, found)
  }
  await part('commit without configuration → Ready', () => product.settle(good))
  for (const node of cluster.nodes) {
    const found = await node.read(config)
    check(`"${node.name}" has what kubeadm wrote, byte for byte`, found === written, found)
  }
  for (const node of cluster.nodes) await node.write({ path: config, content: kubeletConfig() })
  await part('file of before, commit → Ready', () => product.settle({ ...good, flags: { v: 3 } }))
}

const service = 'later.service'
const serviceThat = (command: string) => ({ name: service, content: `[Service]\nExecStart=${command}\n`, state: 'running' })
const steady = serviceThat('/bin/sleep infinity')
const LATER = '/bin/sh -c "sleep 7; exit 3"'

/** What runs for some seconds looks fine to whoever looks once. Neither unit may be left dead behind a rollback. */
async function crashLater(cluster: Cluster, { part, say }: Report): Promise<void> {
  const product = await productOn(cluster)
  await part('fleet settled', () => product.settle({ ...good, host: { units: [steady] } }))
  const containerd = { name: 'containerd.service', dropIns: { '99-later.conf': `[Service]\nExecStart=\nExecStart=${LATER}\n` } }
  const commits = { [service]: { units: [serviceThat(LATER)] }, 'containerd.service': { units: [steady, containerd] } }
  for (const [unit, host] of Object.entries(commits)) {
    const commit = await product.push({ ...good, host }, `${unit} crashes after seven seconds`)
    const status = await part(`${unit} crashes later → rolled back`, () =>
      waitPool(cluster, { for: `the rollback of ${unit}`, when: rolledBack(commit) }),
    )
    check(`the pool names ${unit}`, stallOf(status).includes(unit), stallOf(status))
    say(stallOf(status))
    for (const node of cluster.nodes)
      await waitUntil(async () => (await node.unit(unit)).ActiveState === 'active', { for: `${unit} to run on "${node.name}"` })
  }
  await part('fleet settled again', () => product.settle({ ...good, flags: { v: 2 } }))
}

/** An agent reads what the first release wrote, and what a newer one wrote stops it only from what it cannot know. */
async function agentVersions(cluster: Cluster, report: Report): Promise<void> {
  const { part } = report
  const product = await productOn(cluster)
  await part('fleet settled', () => product.settle({ ...good, config: { maxPods: 61 } }))
  const before = await kubeletsOf(cluster)
  await part('memory as the first release wrote it → at rest', async () => {
    for (const node of cluster.nodes) await restartAgent(node, () => asOfFirstRelease(node))
    for (const node of cluster.nodes) await statusOf(node, ({ phase, error }) => phase === 'Applied' && error === undefined)
  })
  await checkNotRestarted(cluster, before)
  await previousAgents(cluster, product, report)
  // It would answer the report by another assignment, before anybody saw it.
  await product.controller.kill('SIGTERM')
  const again = await kubeletsOf(cluster)
  await part('journal of a newer agent → reported', async () => {
    const line = JSON.stringify({ at: 'reserved', of: 'a newer agent' })
    const write = (node: Node) => node.write({ path: `${memory}/journal.jsonl`, content: `${line}\n` })
    for (const node of cluster.nodes) await restartAgent(node, () => write(node))
    for (const node of cluster.nodes) await statusOf(node, ({ error }) => error?.reason === 'JournalUnreadable')
  })
  await checkNotRestarted(cluster, again)
  await product.restartController()
  await part('commit → Ready', () => product.settle({ ...good, config: { maxPods: 62 } }))
  for (const node of cluster.nodes) {
    check(`"${node.name}" has what the commit says`, (await node.read(config)).endsWith('maxPods: 62\n'))
    check(`"${node.name}" keeps the journal`, (await node.read(`${memory}/journal.jsonl.unreadable`)).includes('newer'))
  }
}

/** An agent of either release before goes on with what this one left, applies a commit, and leaves it to this one. */
async function previousAgents(cluster: Cluster, product: Product, { part, say }: Report): Promise<void> {
  if (!hasHistory()) return say('this clone has no history: the agents of the releases before are left out')
  const now = await bundleAgent(cluster.slot.dir)
  const earlier = {
    'the second release before': [await secondBundleBefore(cluster.slot.dir), 64],
    'the release before': [await previousBundle(cluster.slot.dir), 63],
  } as const
  const run = async (program: string) => {
    const replace = (node: Node) => node.write({ path: agentProgram, content: { file: program } })
    for (const node of cluster.nodes) await restartAgent(node, () => replace(node))
    for (const node of cluster.nodes) await statusOf(node, ({ phase, error }) => phase === 'Applied' && error === undefined)
  }
  for (const [release, [program, maxPods]] of Object.entries(earlier)) {
    const before = await kubeletsOf(cluster)
    await part(`agent of ${release} → at rest`, () => run(program))
    await checkNotRestarted(cluster, before)
    await part('commit, by that agent → Ready', () => product.settle({ ...good, config: { maxPods } }))
    const after = await kubeletsOf(cluster)
    await part('this agent again → at rest', () => run(now))
    await checkNotRestarted(cluster, after)
    for (const node of cluster.nodes)
      check(`"${node.name}" has what the commit says`, (await node.read(config)).endsWith(`maxPods: ${maxPods}\n`))
  }
}

async function restartAgent(node: Node, meanwhile: () => Promise<void>): Promise<void> {
  await node.exec(['systemctl', 'stop', agentUnit])
  await meanwhile()
  await node.exec(['systemctl', 'start', agentUnit])
}

/** Without versions, kinds and checksums, and without what came later. */
async function asOfFirstRelease(node: Node): Promise<void> {
  const path = `${memory}/local/index.json`
  const { files = [], units = [] } = JSON.parse(await node.read(path)) as Record<string, Record<string, unknown>[]>
  const plain = (records: Record<string, unknown>[]) => records.map(({ kind: _kind, ...record }) => record)
  await node.write({ path, content: JSON.stringify({ files: plain(files), units: plain(units) }) })
  await node.exec(['rm', '-f', `${memory}/meta/trial.json`])
}

interface Said {
  readonly phase?: string
  readonly error?: { readonly reason: string }
}

async function statusOf(node: Node, isRight: (said: Said) => boolean): Promise<void> {
  const look = async () => isRight(JSON.parse((await node.get()).metadata.annotations?.['nodewave.io/status'] ?? '{}'))
  await waitUntil(look, { for: `the agent of "${node.name}" to say so` })
}

/** The agent by a DaemonSet: on nodes without one, upgraded between two changes, back from a version that does not report, and away again. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseAgentStatus } from '../../../src/protocol/agent-status.ts'
import { putFile } from '../build/layers.ts'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import { waitUntil } from '../cluster/wait.ts'
import { agentUnit, writeContainerDropIn } from '../product/agent.ts'
import { BREAK_GLASS } from '../product/break-glass.ts'
import { checkout } from '../product/checkout.ts'
import { agentDeb, agentImages, importImage } from '../product/images.ts'
import { completed, waitPool } from '../product/pool.ts'
import { type Product, productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'agents', nodes: [{}, {}], run: agentsByDaemonSet }]

/** The last one can install itself, and does nothing else. */
const AGENTS = [
  { version: '0.1.0' },
  { version: '0.1.1' },
  { version: '0.1.2', begins: "if (!process.argv.includes('install')) process.exit(3);" },
]
const inNamespace = ['-n', 'nodewave-agents']
const COMMAND = '/opt/nodewave/current/nodewave-agent'
const LIBRARIES = '/usr/lib/x86_64-linux-gnu'

async function agentsByDaemonSet(cluster: Cluster, { part }: Report): Promise<void> {
  const product = await productOn(cluster, { agents: false })
  const images = await part('images built', () => agentImages(cluster, AGENTS))
  await part('images imported', () =>
    Promise.all(
      cluster.nodes.map(async (node) => {
        for (const { path } of images) await importImage(node, path)
      }),
    ),
  )
  const before = await Promise.all(cluster.nodes.map(prepare))
  await part('kubectl apply → agents run', () => applied(cluster))
  await part('push → Ready', () => product.settle({ version: versions.olderKubelet, ...slow('first') }))
  await part('upgrade in the middle of a change', () => upgrade(cluster, product))
  await part('a version that does not report → the one before is back', () => broken(cluster))
  await part('DaemonSet, annotations and agents away', () => away(cluster, product))
  await part('package installed and removed', () => byPackage(cluster, cluster.node('n1')))
  const after = await Promise.all(cluster.nodes.map(traces))
  check('the hosts are as they were', after.join('\n') === before.join('\n'), { before, after })
}

/** Without any Node, and without the libraries that it needs, as minimal hosts are. @returns what there is of an agent */
async function prepare(node: Node): Promise<string> {
  await node.exec(['rm', '-r', '/opt/nodewave'])
  await node.exec(['sh', '-c', `rm ${LIBRARIES}/libatomic.so.1* ${LIBRARIES}/libstdc++.so.6*`])
  await writeContainerDropIn(node)
  return traces(node)
}

async function traces(node: Node): Promise<string> {
  const places = ['/opt', '/etc/systemd/system', '/var/lib/nodewave', '/run/nodewave', '/etc/slow', '/etc/nodewave']
  return node.output(['sh', '-c', `find ${places.join(' ')} -path /opt/cni -prune -o -print 2>/dev/null | sort`])
}

async function applied(cluster: Cluster): Promise<void> {
  const manifest = join(checkout, 'deploy/agents.yaml')
  check('the manifest names the image of this version', (await readFile(manifest, 'utf8')).includes('nodewave-agent:0.1.0'))
  await cluster.kubectl(['apply', '-f', manifest])
  await rolledOut(cluster)
  for (const node of cluster.nodes) {
    const { ActiveState } = await node.unit(agentUnit)
    check('the agent runs as a unit of its host', ActiveState === 'active', ActiveState)
  }
}

async function rolledOut(cluster: Cluster): Promise<void> {
  await cluster.kubectl([...inNamespace, 'rollout', 'status', 'daemonset', 'nodewave-agent', '--timeout=170s'])
}

async function setImage(cluster: Cluster, version: string): Promise<void> {
  const image = `nodewave-agent:${version}`
  await cluster.kubectl([...inNamespace, 'set', 'image', 'daemonset/nodewave-agent', `install=${image}`, `installed=${image}`])
}

/** A service that takes some seconds to start, each time the file of a commit changes. */
function slow(text: string) {
  const settings = '/etc/slow/settings.conf'
  const content = '[Service]\nExecStartPre=/bin/sleep 5\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n'
  return {
    host: {
      files: [{ path: settings, content: `${text}\n` }],
      units: [{ name: 'slow.service', content, enabled: true, state: 'running', restartOn: [settings] }],
    },
  }
}

async function upgrade(cluster: Cluster, product: Product): Promise<void> {
  const commit = await product.push({ version: versions.olderKubelet, ...slow('second') }, 'in the middle')
  const isInTheMiddle = async (node: Node) => (await node.unit('slow.service')).ActiveState === 'activating'
  const busy = async () => (await Promise.all(cluster.nodes.map(isInTheMiddle))).some(Boolean)
  await waitUntil(busy, { for: 'a node in the middle of a change' })
  await setImage(cluster, '0.1.1')
  await rolledOut(cluster)
  const status = await waitPool(cluster, { for: `Ready at ${commit}`, when: completed(commit) })
  check('the commit was not rejected', status.rejected.length === 0, status.rejected)
  for (const node of cluster.nodes) {
    await waitUntil(async () => (await statusOf(node))?.agent === '0.1.1', { for: `${node.name} to report by 0.1.1` })
    const status = await statusOf(node)
    check('the change was not interrupted', status?.attempts === 1, status)
    const journal = await node.journal(agentUnit, 200)
    check('nothing was undone or taken up again', !journal.includes('transaction recovered'), journal)
  }
}

async function statusOf(node: Node) {
  return parseAgentStatus((await node.get()).metadata.annotations?.['nodewave.io/status'])
}

async function broken(cluster: Cluster): Promise<void> {
  const before = await Promise.all(cluster.nodes.map((node) => node.unit(agentUnit)))
  await setImage(cluster, '0.1.2')
  const failed = async () => {
    const pods = JSON.parse(await cluster.kubectl([...inNamespace, 'get', 'pods', '-o', 'json']))
    return pods.items.find((pod: ApiInstaller) => pod.status.initContainerStatuses?.[0]?.lastState?.terminated?.exitCode === 1)
  }
  const pod: ApiInstaller = await waitUntil(failed, { for: 'an installation to fail' })
  for (const [index, node] of cluster.nodes.entries()) {
    const link = await node.output(['readlink', '/opt/nodewave/current'])
    check('the version before is the current one', link === '0.1.1', { node: node.name, link })
    const { MainPID, ActiveState } = await node.unit(agentUnit)
    check('its agent runs', ActiveState === 'active' && MainPID !== '0', ActiveState)
    const isUntouched = MainPID === before[index]?.MainPID
    check('no other node was touched', isUntouched !== (node.name === pod.spec.nodeName), {
      node: node.name,
      pod: pod.spec.nodeName,
    })
  }
  await setImage(cluster, '0.1.1')
  await rolledOut(cluster)
}

interface ApiInstaller {
  readonly spec: { readonly nodeName: string }
  readonly status: {
    readonly initContainerStatuses?: readonly { readonly lastState?: { readonly terminated?: { readonly exitCode: number } } }[]
  }
}

async function away(cluster: Cluster, product: Product): Promise<void> {
  await product.controller.kill('SIGTERM')
  await cluster.kubectl(['delete', '-f', join(checkout, 'deploy/agents.yaml')])
  await Promise.all(cluster.nodes.map((node) => uninstalled(cluster, node)))
}

async function uninstalled(cluster: Cluster, node: Node): Promise<void> {
  const early = await node.exec([COMMAND, 'uninstall'], { allowFailure: true })
  check(
    'an agent that manages its host is not removed',
    early.code === 2 && early.stderr.includes('still manages this host'),
    early,
  )
  await cluster.kubectl([...BREAK_GLASS, 'annotate', 'node', node.name, 'nodewave.io/desired-config-'])
  await waitUntil(async () => (await statusOf(node))?.phase === 'Reverted', { for: `${node.name} to be as before nodewave` })
  await node.exec([COMMAND, 'uninstall'])
}

/** dpkg alone: apt needs a library that was taken away. */
async function byPackage(cluster: Cluster, node: Node): Promise<void> {
  const { path } = await agentDeb(cluster)
  await putFile(node.shared.outside, { path: '/agent.deb', content: { file: path } })
  await node.exec(['dpkg', '-i', join(node.shared.inside, 'agent.deb')])
  const { ActiveState } = await node.unit(agentUnit)
  check('the agent of the package runs', ActiveState === 'active', ActiveState)
  check('it has reached its Node', (await node.read('/run/nodewave/agent.json')).includes('"version":"0.1.0"'))
  await node.exec(['dpkg', '--remove', 'nodewave-agent'])
}

/** Files with facts of their node in them, and blocks and lines in a file that others go on to change. */
import { bundleAgent } from '../../../scripts/bundle-agent.ts'
import { parseAgentStatus } from '../../../src/protocol/agent-status.ts'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import { waitUntil } from '../cluster/wait.ts'
import { installAgent } from '../product/agent.ts'
import type { FleetOptions } from '../product/fleet.ts'
import { checkNotRestarted, kubeletsOf } from '../product/kubelets.ts'
import { rolledBack, waitPool } from '../product/pool.ts'
import { type Product, productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'texts', nodes: [{}, {}], group: 'fleet', run: texts }]

const FACTS = '/etc/nodewave-e2e/facts'
const HOSTS = '/etc/hosts'
const PORTS = '/etc/nodewave-e2e/ports.ini'
const RACK = 'example.com/rack'
const fleet: FleetOptions = { version: versions.olderKubelet, rollout: { onFailure: 'Rollback' } }
const template = `node={{ node.name }}
address={{ node.internalIP }}
system={{ node.osImage }} on {{ node.arch }}
rack={{ node.labels.${RACK} }}
`
const host = {
  files: [{ path: FACTS, template: true, content: template }],
  edits: [
    { path: HOSTS, blocks: [{ name: 'registry', content: '10.9.0.1 registry.internal\n' }], lines: ['10.9.0.9 ntp.internal'] },
    { path: PORTS, comment: ';', blocks: [{ name: 'web', content: '[web]\nport=80\n' }] },
  ],
}
const REGISTRY = '# BEGIN nodewave registry\n10.9.0.1 registry.internal\n# END nodewave registry\n'
const NTP = '# BEGIN nodewave lines\n10.9.0.9 ntp.internal\n# END nodewave lines\n'
const WEB = '; BEGIN nodewave web\n[web]\nport=80\n; END nodewave web\n'

async function texts(cluster: Cluster, { part }: Report): Promise<void> {
  const product = await productOn(cluster)
  await part('fleet settled', () => product.settle(fleet))
  for (const { name } of cluster.nodes) await cluster.kubectl(['label', 'node', name, '--overwrite', `${RACK}=${name}-left`])
  const before = await Promise.all(cluster.nodes.map((node) => node.read(HOSTS)))
  const kubelets = await kubeletsOf(cluster)
  await part('templates and edits → pool Ready', () => product.settle({ ...fleet, host }))
  for (const [index, node] of cluster.nodes.entries()) await checkTexts(node, before[index] ?? '')
  await part('a Node is labelled anew → its file, and no other', () => relabelled(cluster))
  await part('others edit the file, and our block → theirs stays, ours comes back', () => edited(cluster))
  await part('a unit that does not start → every byte as before', () => undone(cluster, product))
  await part('one mark is gone → refused, and nothing is changed', () => damaged(cluster, product))
  await part('nothing named → only what others wrote', () => product.settle(fleet))
  for (const [index, node] of cluster.nodes.entries()) {
    const theirs = node.name === 'n1' ? THEIRS : ''
    check(`"${node.name}" has its hosts`, (await node.read(HOSTS)) === `${before[index]}${theirs}`, await node.read(HOSTS))
    const { code } = await node.exec(['test', '-e', '/etc/nodewave-e2e'], { allowFailure: true })
    check(`"${node.name}" has no file of ours`, code === 1)
    await node.write({ path: HOSTS, content: before[index] ?? '' })
  }
  await cluster.kubectl(['label', 'nodes', '--all', `${RACK}-`])
  await checkNotRestarted(cluster, kubelets)
}

/** What somebody adds behind our blocks. */
const THEIRS = '10.9.1.1 theirs.internal\n'

async function checkTexts(node: Node, before: string, rack = `${node.name}-left`): Promise<void> {
  const facts = `node=${node.name}\naddress=${node.address}\nsystem=Debian GNU/Linux 12 (bookworm) on amd64\nrack=${rack}\n`
  check(`"${node.name}" has its own facts`, (await node.read(FACTS)) === facts, await node.read(FACTS))
  const hosts = `${before}${REGISTRY}${NTP}`
  check(`"${node.name}" has the block and the line`, (await node.read(HOSTS)) === hosts, await node.read(HOSTS))
  check(`"${node.name}" has the file that was not there`, (await node.read(PORTS)) === WEB, await node.read(PORTS))
}

async function relabelled(cluster: Cluster): Promise<void> {
  const [n1, n2] = [cluster.node('n1'), cluster.node('n2')]
  const other = await n2.output(['stat', '--format=%i %z', FACTS])
  await cluster.kubectl(['label', 'node', 'n1', '--overwrite', `${RACK}=n1-right`])
  await waitUntil(async () => (await n1.read(FACTS)).includes('rack=n1-right\n'), { for: 'the file to have the new label' })
  await waitPool(cluster, { for: 'Ready again', when: ({ nodes }) => nodes.current === 2 })
  check('the other node was left alone', (await n2.output(['stat', '--format=%i %z', FACTS])) === other)
}

/** An agent that looks every two seconds, so that nobody waits for minutes. */
async function edited(cluster: Cluster): Promise<void> {
  const node = cluster.node('n1')
  await installAgent(node, { bundle: await bundleAgent(cluster.slot.dir), args: ['--drift-interval', '2'] })
  await node.exec(['systemctl', 'restart', 'nodewave-agent'])
  const ours = await node.read(HOSTS)
  const isBack = async () => (await node.read(HOSTS)) === `${ours}${THEIRS}`
  await node.write({ path: HOSTS, content: `${ours.replace('10.9.0.1 ', '10.6.6.6 ')}${THEIRS}` })
  await waitUntil(isBack, { for: 'the block to be as in Git' })
  await node.write({ path: HOSTS, content: `${ours.replace(NTP, '')}${THEIRS}${NTP}10.9.1.2 later.internal\n` })
  await driftOf(node, [])
  check('a block that was moved stays', (await node.read(HOSTS)).includes(`${THEIRS}${NTP}10.9.1.2`), await node.read(HOSTS))
  await node.write({ path: HOSTS, content: `${ours}${THEIRS}` })
}

async function driftOf(node: Node, expected: readonly string[]): Promise<void> {
  const look = async () => {
    const status = parseAgentStatus((await node.get()).metadata.annotations?.['nodewave.io/status'])
    return status !== undefined && String(status.drift ?? []) === String(expected)
  }
  await waitUntil(look, { for: `the drift of "${node.name}" to be [${expected}]` })
}

const OTHERS = {
  ...host,
  files: [{ path: FACTS, template: true, content: `${template}more=yes\n` }],
  edits: [{ path: HOSTS, blocks: [{ name: 'registry', content: '10.9.0.2 other.internal\n' }] }],
}

async function undone(cluster: Cluster, product: Product): Promise<void> {
  const before = await stateOf(cluster)
  const broken = { name: 'broken.service', content: '[Service]\nType=oneshot\nExecStart=/bin/false\n', state: 'running' }
  const commit = await product.push({ ...fleet, host: { ...OTHERS, units: [broken] } }, 'a unit that does not start')
  await waitPool(cluster, { for: 'the failure of the unit', when: rolledBack(commit) })
  const after = await stateOf(cluster)
  check('every file is as before', JSON.stringify(after) === JSON.stringify(before), { before, after })
}

/** Text, mode and owner of all three files. */
function stateOf({ nodes }: Cluster): Promise<readonly string[]> {
  const paths = [HOSTS, FACTS, PORTS]
  return Promise.all(
    nodes.map((node) => node.output(['sh', '-c', `stat -c '%n %a %u:%g' ${paths.join(' ')}; cat ${paths.join(' ')}`])),
  )
}

async function damaged(cluster: Cluster, product: Product): Promise<void> {
  const whole = await Promise.all(cluster.nodes.map((node) => node.read(HOSTS)))
  for (const node of cluster.nodes) await node.exec(['sed', '-i', '/END nodewave registry/d', HOSTS])
  await driftOf(cluster.node('n1'), [HOSTS])
  const before = await stateOf(cluster)
  const commit = await product.push({ ...fleet, host: OTHERS }, 'another block')
  const { conditions } = await waitPool(cluster, { for: 'the refusal', when: rolledBack(commit) })
  const message = conditions.find(({ type }) => type === 'Stalled')?.message ?? ''
  check(
    'the pool names the path and what is wrong',
    message.includes(HOSTS) && message.includes('END nodewave registry'),
    message,
  )
  check('nothing is changed', JSON.stringify(await stateOf(cluster)) === JSON.stringify(before), before)
  for (const [index, node] of cluster.nodes.entries()) await node.write({ path: HOSTS, content: whole[index] ?? '' })
  await driftOf(cluster.node('n1'), [])
}

/** Settings of the kernel on real nodes: set, changed by hand and set again, refused and undone, given back. Of a container's kernel only the network is its own. */
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import { waitUntil } from '../cluster/wait.ts'
import { agentUnit } from '../product/agent.ts'
import { checkNotRestarted, kubeletsOf } from '../product/kubelets.ts'
import { rolledBack, stallOf, waitPool } from '../product/pool.ts'
import { type Product, productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'sysctls', nodes: [{}, {}], group: 'fleet', run: sysctls }]

const good = { version: versions.olderKubelet, rollout: { onFailure: 'Rollback' } }
const QUEUE = '/proc/sys/net/core/somaxconn'
const PORTS = '/proc/sys/net/ipv4/ip_local_port_range'
const FILE = '/etc/sysctl.d/99-zz-nodewave.conf'
const host = {
  sysctls: { 'net.core.somaxconn': 5123, 'net.ipv4.ip_local_port_range': '20000 60999' },
}

async function sysctls(cluster: Cluster, { part, say }: Report): Promise<void> {
  const product = await productOn(cluster)
  await part('fleet settled', () => product.settle(good))
  const before = await valuesOf(cluster)
  const kubelets = await kubeletsOf(cluster)
  await part('sysctls → pool Ready', () => product.settle({ ...good, host }))
  for (const node of cluster.nodes) await checkValues(node)
  await part('changed by hand → as the commit says', () => byHand(cluster.node('n1')))
  await checkNotRestarted(cluster, kubelets)
  await part('refused by the kernel → rolled back', async () => {
    for (const bad of BAD) say(await refused({ cluster, product }, bad))
  })
  await checkNotRestarted(cluster, kubelets)
  await part('swap off in fstab and for units, and back', () => swap({ cluster, product }))
  await part('nothing named → as before', () => product.settle(good))
  check('every setting is as before', JSON.stringify(await valuesOf(cluster)) === JSON.stringify(before), await valuesOf(cluster))
  for (const node of cluster.nodes)
    check(
      `"${node.name}" has no file of ours`,
      (await node.output(['sh', '-c', `ls ${FILE} 2>&1 || true`])).includes('No such file'),
    )
}

const valuesOf = (cluster: Cluster) =>
  Promise.all(cluster.nodes.map(async (node) => [await node.read(QUEUE), await node.read(PORTS)]))

async function checkValues(node: Node): Promise<void> {
  const values = [await node.read(QUEUE), await node.read(PORTS)]
  check(`"${node.name}" has the values`, JSON.stringify(values) === JSON.stringify(['5123\n', '20000\t60999\n']), values)
  const file = await node.read(FILE)
  check(`"${node.name}" will have them after a boot`, file.includes('net.core.somaxconn = 5123\n'), file)
}

/** An agent that looks for drift every two seconds, so that nobody waits for minutes. */
async function byHand(node: Node): Promise<void> {
  const path = `/etc/systemd/system/${agentUnit}.service.d/drift.conf`
  const command = /^ExecStart=(.*)$/m.exec(await node.read(`/etc/systemd/system/${agentUnit}.service`))?.[1]
  await node.write({ path, content: `[Service]\nExecStart=\nExecStart=${command} --drift-interval=2\n` })
  await restartAgent(node)
  await node.exec(['sysctl', '-q', '-w', 'net.core.somaxconn=4096'])
  await node.exec(['rm', FILE])
  const isBack = async () => (await node.read(QUEUE)) === '5123\n' && (await node.read(FILE)).includes('somaxconn')
  await waitUntil(() => isBack().catch(() => false), { for: 'the value and the file to be back' })
  const later = '/etc/sysctl.d/99-zzz.conf'
  await node.write({ path: later, content: 'net.core.somaxconn = 4096\n' })
  await driftOf(node, ({ length, 0: first }) => length === 1 && first === `${later}: net.core.somaxconn`)
  await node.exec(['rm', later])
  await driftOf(node, ({ length }) => length === 0)
  await node.exec(['rm', path])
  await restartAgent(node)
}

async function restartAgent(node: Node): Promise<void> {
  await node.exec(['systemctl', 'daemon-reload'])
  await node.exec(['systemctl', 'restart', agentUnit])
}

async function driftOf(node: Node, isRight: (drift: readonly string[]) => boolean): Promise<void> {
  const look = async () => {
    const { drift = [] } = JSON.parse((await node.get()).metadata.annotations?.['nodewave.io/status'] ?? '{}')
    return isRight(drift)
  }
  await waitUntil(look, { for: `the agent of "${node.name}" to say what has drifted` })
}

/** The commit changes this, too, and the pool says so by its name. */
const BAD: readonly (readonly [name: string, host: Readonly<Record<string, unknown>>])[] = [
  // A packet needs one hop at least: the kernel refuses the value, and `validate` knows nothing of it.
  ['net.ipv4.ip_default_ttl', withSysctl('net.ipv4.ip_default_ttl', 0)],
  // In a container, nobody may write what is not the network's.
  ['vm.swappiness', withSysctl('vm.swappiness', 10)],
  ['net.core.no_such_setting', withSysctl('net.core.no_such_setting', 1)],
  // Nothing can be loaded in a container: what is loaded is proved by unit tests only.
  ['no_such_module', { ...host, kernelModules: ['no_such_module'] }],
]

function withSysctl(name: string, value: string | number) {
  return { ...host, sysctls: { ...host.sysctls, 'net.core.somaxconn': 6000, [name]: value } }
}

interface Place {
  readonly cluster: Cluster
  readonly product: Product
}

async function refused({ cluster, product }: Place, [name, bad]: (typeof BAD)[number]): Promise<string> {
  const commit = await product.push({ ...good, host: bad }, name)
  const stall = stallOf(await waitPool(cluster, { for: `the rollback of ${name}`, when: rolledBack(commit) }))
  for (const node of cluster.nodes) await checkValues(node)
  check(`the pool names ${name}`, stall.includes(name), stall)
  return stall
}

/** What a boot would find. What is swapped to belongs to the machine, and all nodes see it: a test of the adapter changes that. */
async function swap({ cluster, product }: Place): Promise<void> {
  const fstab = '/dev/nodewave-no-such none swap sw 0 0\n'
  for (const node of cluster.nodes) {
    await node.write({ path: '/etc/fstab', content: fstab })
    await node.exec(['systemctl', 'daemon-reload'])
  }
  await product.settle({ ...good, host: { ...host, swap: 'off' } })
  for (const node of cluster.nodes) {
    check(`"${node.name}" has no swap in fstab`, (await node.read('/etc/fstab')) === `# nodewave: ${fstab}`)
    await node.write({ path: '/etc/systemd/system/swapfile.swap', content: '[Swap]\nWhat=/swapfile\n' })
    await node.exec(['systemctl', 'daemon-reload'])
    await node.exec(['systemctl', 'start', 'swapfile.swap'])
    const shown = await node.output(['systemctl', 'show', '--property=ConditionResult,ActiveState', 'swapfile.swap'])
    check(
      `"${node.name}" starts no swap unit`,
      shown.includes('ConditionResult=no') && shown.includes('ActiveState=inactive'),
      shown,
    )
    await node.exec(['rm', '/etc/systemd/system/swapfile.swap'])
  }
  await product.settle({ ...good, host })
  for (const node of cluster.nodes) {
    check(`"${node.name}" has its fstab back`, (await node.read('/etc/fstab')) === fstab)
    await node.exec(['rm', '/etc/fstab'])
    await node.exec(['systemctl', 'daemon-reload'])
  }
}

/** A file, a unit and a sysctl that somebody changes by hand come back, unless the policy only reports them. */
import { bundleAgent } from '../../../scripts/bundle-agent.ts'
import { parseAgentStatus } from '../../../src/protocol/agent-status.ts'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import { waitUntil } from '../cluster/wait.ts'
import { installAgent } from '../product/agent.ts'
import { type Product, productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'drift', nodes: [{}, {}], group: 'fleet', run: drift }]

const MOTD = { path: '/etc/motd', content: 'configured from Git\n' }
const SYSCTL = 'net.ipv4.tcp_fin_timeout'
const UNIT = 'beacon.service'
const SERVICE = '[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n'
const host = {
  files: [MOTD],
  units: [{ name: UNIT, content: SERVICE, enabled: true, state: 'running' }],
  sysctls: { [SYSCTL]: 45 },
}

async function drift(cluster: Cluster, { part }: Report): Promise<void> {
  const product = await productOn(cluster)
  const bundle = await bundleAgent(cluster.slot.dir)
  const node = cluster.node('n1')
  await installAgent(node, { bundle, args: ['--drift-interval', '5'] })
  await node.exec(['systemctl', 'restart', 'nodewave-agent'])
  await product.settle(fleetWith({ policy: 'Repair' }))
  await part('changed by hand → file, unit and sysctl are back', () => repaired(node))
  await part('policy Report → the status says what was changed, and it stays', () => reported(node, product))
  await part('policy Repair again → the next look puts it back', () => putBack(node, product))
}

function fleetWith(drift: object) {
  return { version: versions.olderKubelet, host, limits: { ...LIMITS, drift } }
}

/** Those of every fleet of the tests. */
const LIMITS = {
  rollout: { maxUnavailable: 1, maxFailures: 0, onFailure: 'Halt', trial: '5s', drain: { mode: 'Never' }, allowDowngrade: true },
}

async function change(node: Node): Promise<void> {
  await node.write({ path: MOTD.path, content: 'changed by hand\n' })
  await node.exec(['systemctl', 'stop', UNIT])
  await node.exec(['sysctl', '-w', `${SYSCTL}=61`])
}

async function repaired(node: Node): Promise<void> {
  await change(node)
  await waitUntil(async () => (await found(node)) === AS_IN_GIT, { for: 'file, unit and sysctl to be as in Git' })
}

async function reported(node: Node, product: Product): Promise<void> {
  await product.settle(fleetWith({ policy: 'Report' }))
  const { mainPid } = await kubeletOf(node)
  await change(node)
  const told = async () => {
    const paths = await driftOf(node)
    return [MOTD.path, UNIT, `/proc/sys/${SYSCTL.replaceAll('.', '/')}`].every((path) => paths.includes(path))
  }
  await waitUntil(told, { for: 'file, unit and sysctl to be in the status' })
  check('nothing was put back', (await found(node)) === CHANGED, await found(node))
  check('the kubelet was left alone', (await kubeletOf(node)).mainPid === mainPid)
}

async function putBack(node: Node, product: Product): Promise<void> {
  await product.settle(fleetWith({ policy: 'Repair', repairsPerHour: 20 }))
  await waitUntil(async () => (await found(node)) === AS_IN_GIT, { for: 'file, unit and sysctl to be as in Git' })
  await waitUntil(async () => (await driftOf(node)).length === 0, { for: 'a status without drift' })
}

const AS_IN_GIT = 'configured from Git active 45'
const CHANGED = 'changed by hand inactive 61'

async function found(node: Node): Promise<string> {
  const text = (await node.read(MOTD.path)).trim()
  const active = await node.output(['systemctl', 'show', UNIT, '--property=ActiveState', '--value'])
  return `${text} ${active} ${await node.output(['sysctl', '-n', SYSCTL])}`
}

async function driftOf(node: Node): Promise<readonly string[]> {
  const { metadata } = await node.get()
  return parseAgentStatus(metadata.annotations?.['nodewave.io/status'])?.drift ?? []
}

async function kubeletOf(node: Node): Promise<{ readonly mainPid: string }> {
  return { mainPid: await node.output(['systemctl', 'show', 'kubelet', '--property=MainPID', '--value']) }
}

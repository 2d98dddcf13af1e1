/** A file, a package, a unit and a sysctl that somebody changes by hand come back, unless the policy only reports them. */
import { bundleAgent } from '../../../scripts/bundle-agent.ts'
import { parseAgentStatus } from '../../../src/protocol/agent-status.ts'
import { toolsRepositories } from '../artifacts/tools-deb.ts'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import { waitUntil } from '../cluster/wait.ts'
import { installAgent } from '../product/agent.ts'
import type { FleetOptions } from '../product/fleet.ts'
import { type Product, productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'drift', nodes: [{}, {}], group: 'fleet', run: drift }]

const MOTD = { path: '/etc/motd', content: 'configured from Git\n' }
const BELOW = { path: '/etc/till/till.conf', content: 'open = 9-18\n' }
const LINK = { path: '/etc/till.link', target: '/etc/till/till.conf' }
const SYSCTL = 'net.ipv4.tcp_fin_timeout'
const UNIT = 'beacon.service'
const SERVICE = '[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n'
const PACKAGE = { name: 'till-tools', version: '1.0' }

type Fleets = (drift: object) => FleetOptions

async function drift(cluster: Cluster, report: Report): Promise<void> {
  const { part } = report
  const product = await productOn(cluster)
  const bundle = await bundleAgent(cluster.slot.dir)
  const node = cluster.node('n1')
  const fleetWith = await fleetsOf(cluster)
  await product.settle(fleetWith({ policy: 'Repair', repairsPerHour: 20 }))
  await part('files changed by hand → back at once, since they are watched', () => watched(node, report))
  await installAgent(node, { bundle, args: ['--drift-interval', '5'] })
  await node.exec(['systemctl', 'restart', 'nodewave-agent'])
  await part('changed by hand → file, package, unit and sysctl are back', () => repaired(node))
  await part('policy Report → the status says what was changed, and it stays', () => reported(node, { product, fleetWith }))
  await part('policy Repair again → the next look puts it back', () => repairedAgain(node, { product, fleetWith }))
}

async function fleetsOf({ artifacts }: Cluster): Promise<Fleets> {
  const url = `${artifacts}/${toolsRepositories.stable}/`
  const key = await (await fetch(`${url}Release.key`)).text()
  const host = {
    files: [MOTD, BELOW],
    links: [LINK],
    units: [{ name: UNIT, content: SERVICE, enabled: true, state: 'running' }],
    sysctls: { [SYSCTL]: 45 },
    repositories: [{ name: 'tools', apt: { url, key } }],
    packages: [PACKAGE],
  }
  return (drift) => ({ version: versions.olderKubelet, host, limits: { ...LIMITS, drift } })
}

/** Those of every fleet of the tests. */
const LIMITS = {
  rollout: { maxUnavailable: 1, maxFailures: 0, onFailure: 'Halt', trial: '5s', drain: { mode: 'Never' }, allowDowngrade: true },
}

/** A regular look comes after five minutes. */
const AT_ONCE = 10_000

/** What somebody does to the files, and what shows that it is undone. */
const CHANGES = [
  { name: 'written in place', change: `echo changed > ${MOTD.path}`, isBack: `grep -qx 'configured from Git' ${MOTD.path}` },
  {
    name: 'replaced by a rename',
    change: `echo changed > /etc/.new && mv /etc/.new ${MOTD.path}`,
    isBack: `grep -qx 'configured from Git' ${MOTD.path}`,
  },
  { name: 'removed', change: `rm ${MOTD.path}`, isBack: `grep -qx 'configured from Git' ${MOTD.path}` },
  {
    name: 'a link that leads elsewhere',
    change: `ln -s /etc/hostname /etc/.link && mv -T /etc/.link ${LINK.path}`,
    isBack: `test "$(readlink ${LINK.path})" = ${LINK.target}`,
  },
  {
    name: 'a directory replaced by another',
    change: 'mv /etc/till /etc/till.old && mkdir /etc/till',
    isBack: `grep -qx 'open = 9-18' ${BELOW.path}`,
  },
  {
    name: 'a file in the other directory',
    change: `echo changed > ${BELOW.path}`,
    isBack: `grep -qx 'open = 9-18' ${BELOW.path}`,
  },
]

async function watched(node: Node, { time }: Report): Promise<void> {
  const { MainPID } = await node.unit()
  for (const { name, change, isBack } of CHANGES) {
    await node.exec(['sh', '-c', `${change}; ! ${isBack}`])
    const from = performance.now()
    const answer = async () => (await node.exec(['sh', '-c', isBack], { allowFailure: true })).code === 0
    await waitUntil(answer, { for: `${name}: as in Git` })
    const took = performance.now() - from
    time(`${name} → back`, took)
    check(`${name}: it is back at once`, took < AT_ONCE, took)
  }
  await node.exec(['rm', '-r', '/etc/till.old'])
  check('the kubelet was left alone', (await node.unit()).MainPID === MainPID)
}

async function change(node: Node): Promise<void> {
  await node.write({ path: MOTD.path, content: 'changed by hand\n' })
  await node.exec(['apt-get', 'remove', '--yes', '--allow-change-held-packages', PACKAGE.name])
  await node.exec(['systemctl', 'stop', UNIT])
  await node.exec(['sysctl', '-w', `${SYSCTL}=61`])
}

async function repaired(node: Node): Promise<void> {
  const { MainPID } = await node.unit()
  await change(node)
  await isAsInGit(node)
  check('the kubelet was left alone', (await node.unit()).MainPID === MainPID)
}

interface Place {
  readonly product: Product
  readonly fleetWith: Fleets
}

async function reported(node: Node, { product, fleetWith }: Place): Promise<void> {
  await product.settle(fleetWith({ policy: 'Report' }))
  const { MainPID } = await node.unit()
  await change(node)
  const told = async () => {
    const subjects = await driftOf(node)
    const changed = [MOTD.path, UNIT, `/proc/sys/${SYSCTL.replaceAll('.', '/')}`, `package:${PACKAGE.name}`]
    return changed.every((subject) => subjects.includes(subject))
  }
  await waitUntil(told, { for: 'file, package, unit and sysctl to be in the status' })
  check('nothing was put back', (await found(node)) === CHANGED, await found(node))
  check('the kubelet was left alone', (await node.unit()).MainPID === MainPID)
}

async function repairedAgain(node: Node, { product, fleetWith }: Place): Promise<void> {
  await product.settle(fleetWith({ policy: 'Repair', repairsPerHour: 20 }))
  await isAsInGit(node)
  await waitUntil(async () => (await driftOf(node)).length === 0, { for: 'a status without drift' })
}

const AS_IN_GIT = 'configured from Git active 45 hold ok installed 1.0'
const CHANGED = 'changed by hand inactive 61 deinstall ok config-files 1.0'

async function isAsInGit(node: Node): Promise<void> {
  const isSo = async () => {
    const now = await found(node)
    if (now !== AS_IN_GIT) throw new Error(`it is "${now}"`)
    return true
  }
  await waitUntil(isSo, { for: `file, unit, sysctl and package to be "${AS_IN_GIT}"` })
}

async function found(node: Node): Promise<string> {
  const text = (await node.read(MOTD.path)).trim()
  const active = await node.output(['systemctl', 'show', UNIT, '--property=ActiveState', '--value'])
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg's own names of fields
  const shown = await node.output(['dpkg-query', '--show', '--showformat=${Status} ${Version}', PACKAGE.name])
  return `${text} ${active} ${await node.output(['sysctl', '-n', SYSCTL])} ${shown}`
}

async function driftOf(node: Node): Promise<readonly string[]> {
  const { metadata } = await node.get()
  return parseAgentStatus(metadata.annotations?.['nodewave.io/status'])?.drift ?? []
}

/** The page "Adopt a running cluster": its commands, run one after the other, adopt two nodes and a bare machine, upgrade the agents, and take everything away again. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { BuiltFile } from '../../../scripts/image/images.ts'
import { actsByPage, watchesChange } from '../browser/adopted.ts'
import { startChromium } from '../browser/chromium.ts'
import { buildBinaries } from '../build/binaries.ts'
import { cacheRoot } from '../build/cache.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import { waitUntil } from '../cluster/wait.ts'
import { run } from '../exec.ts'
import { writeMachinePool } from '../product/adopted-machine.ts'
import { metricsSay, nodeOfLeader, startDashboardOf } from '../product/adopted-watch.ts'
import { agentUnit, writeContainerDropIn } from '../product/agent.ts'
import { checkout } from '../product/checkout.ts'
import { agentImages, importImage } from '../product/images.ts'
import { followPage, sectionsOf, type Workstation, workstation } from '../product/page-commands.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [
  { name: 'adoption', nodes: [{}, {}, { layout: 'bare' }], builds: ['helm'], run: adoption },
]

const PREFIX = 'registry.example.com/platform/'
/** The last one can install itself, and does nothing else. */
const AGENTS = [{ version: '0.1.1' }, { version: '0.1.2', begins: "if (!process.argv.includes('install')) process.exit(3);" }]
const agents = ['-n', 'nodewave-agents']

async function adoption(cluster: Cluster, report: Report): Promise<void> {
  const { part } = report
  const page = await readFile(join(checkout, 'docs/adopt.md'), 'utf8')
  const before = await Promise.all(cluster.nodes.map(prepare))
  const station = await stationFor(cluster)
  const all = sectionsOf(page)
  const titles = all.map(({ title }) => title)
  const places = ['6.', '7.', '8.', 'Remove nodewave']
  check('the page has its sections', all.length === 9 && places.every((place, at) => titles[5 + at]?.startsWith(place)), titles)
  const follow = async (from: number, { to = from + 1, node = 'n2' } = {}) => {
    const sections = all
      .slice(from, to)
      .map((section) => ({ ...section, commands: withSettings(station, section.commands, node) }))
    return followPage(sections, station, report)
  }
  const kubelets = await Promise.all(ofKubeadm(cluster).map(kubeletOf))
  await follow(0, { to: 5 })
  const now = await Promise.all(ofKubeadm(cluster).map(kubeletOf))
  check('no kubelet was restarted', String(now) === String(kubelets), kubelets)
  await watched(cluster, { station, report, change: (node) => follow(5, { node }) })
  const images = await part('images of newer agents', () => agentImages(cluster, AGENTS, { prefix: PREFIX }))
  await importInto(ofKubeadm(cluster), images)
  await follow(6)
  await runAgents(ofKubeadm(cluster), '0.1.1')
  await part('an agent that does not report → the one before is back', () => brokenUpgrade(cluster, station))
  await part('downloads of the machine', () => writeMachinePool(cluster, join(station.folder, 'fleet'), 3))
  await follow(7)
  await part('the DaemonSet takes over the agent of the machine', () => takenOver(cluster, images))
  await follow(8)
  const after = await Promise.all(cluster.nodes.map(stateOf))
  check('the hosts are as they were', after.join('\n') === before.join('\n'), difference(before.join('\n'), after.join('\n')))
  check('no namespace is left', !/nodewave/.test(await cluster.kubectl(['get', 'namespaces', '-o', 'name'])))
}

function ofKubeadm({ nodes }: Cluster): readonly Node[] {
  return nodes.filter(({ layout }) => layout === 'kubeadm')
}

interface Watched {
  readonly station: Workstation
  readonly report: Report
  readonly change: (node: string) => Promise<string[]>
}

/** Dashboard and metrics show the change of one node as it happens, be it the node of what they show, and somebody acts by the page. */
async function watched(cluster: Cluster, { station, report: { part, say }, change }: Watched): Promise<void> {
  await using chromium = await part('start Chromium', () => startChromium(say))
  const { browser } = chromium
  await using dashboard = await part('nodewave dashboard', () => startDashboardOf(station))
  const picture = join(process.env.NODEWAVE_E2E_PICTURES ?? cluster.slot.dir, 'adoption.png')
  const applying = 'nodewave_pool_nodes{pool="workers",phase="Applying"} 1'
  const [printed] = await Promise.all([
    change(await nodeOfLeader(cluster)),
    watchesChange(browser, dashboard.found, picture),
    metricsSay(cluster, [applying, 'nodewave_pool_nodes{pool="workers",phase="Current"} 2']),
  ])
  check('the plan named the node of the change', printed[0]?.includes('1 of 2 nodes change') === true, printed[0])
  check('the page of metrics has phases', printed[0].includes('nodewave_pool_nodes{pool="workers"'), printed[0])
  const held = () => cluster.kubectl(['get', 'nodes', '-o', 'jsonpath={.items[*].metadata.annotations.nodewave\\.io/hold}'])
  await part('hold and release by the page', () => actsByPage(browser, dashboard.found, held))
}

async function importInto(nodes: readonly Node[], images: readonly BuiltFile[]): Promise<void> {
  for (const node of nodes) for (const { path } of images) await importImage(node, path)
}

async function runAgents(nodes: readonly Node[], version: string): Promise<void> {
  for (const node of nodes) {
    const link = await node.output(['readlink', '/opt/nodewave/current'])
    check(`${node.name} runs the agent ${version}`, link === version, link)
    const { ActiveState } = await node.unit(agentUnit)
    check('its service is active', ActiveState === 'active', ActiveState)
  }
}

async function brokenUpgrade(cluster: Cluster, { folder, env }: Workstation): Promise<void> {
  const helm = (...args: string[]) => run(join(folder, 'bin/helm'), args, { cwd: folder, env })
  const inSystem = ['--namespace', 'nodewave-system']
  const chart = 'dist-chart/nodewave-0.1.0.tgz'
  await helm('upgrade', 'nodewave', chart, ...inSystem, '--reuse-values', '--set', 'agents.image.tag=0.1.2')
  const failed = async () => /CrashLoopBackOff|Error/.test(await cluster.kubectl([...agents, 'get', 'pods']))
  await waitUntil(failed, { for: 'an installation to fail', timeoutMs: 240_000 })
  await runAgents(ofKubeadm(cluster), '0.1.1')
  await helm('rollback', 'nodewave', ...inSystem)
  await rolledOut(cluster)
  await runAgents(ofKubeadm(cluster), '0.1.1')
}

async function rolledOut(cluster: Cluster): Promise<void> {
  await cluster.kubectl([...agents, 'rollout', 'status', 'daemonset', 'nodewave-agent', '--timeout=170s'])
}

/** It had the agent of the tarball, and there is no registry. */
async function takenOver(cluster: Cluster, images: readonly BuiltFile[]): Promise<void> {
  await importInto([cluster.node('n3')], images)
  await rolledOut(cluster)
  await runAgents(cluster.nodes, '0.1.1')
}

/** As a host without nodewave. */
async function prepare(node: Node): Promise<string> {
  await node.exec(['rm', '-rf', '/opt/nodewave'])
  await writeContainerDropIn(node)
  return stateOf(node)
}

async function stateOf(node: Node): Promise<string> {
  const places = '/etc /opt /var/lib/kubelet/config.yaml /var/lib/kubelet/kubeadm-flags.env /usr/bin/kubelet /var/lib/nodewave'
  const find = `find ${places} -path /opt/cni -prune -o -type f -exec sha256sum {} + 2>/dev/null | sort -k 2; find /etc /opt -type l | sort`
  return node.output(['sh', '-c', find])
}

async function kubeletOf(node: Node): Promise<string> {
  return (await node.unit()).MainPID
}

/** The settings at the beginning of the page are this cluster's, in the shell of each section. */
function withSettings({ env }: Workstation, commands: string, node: string): string {
  const settings = `export REGISTRY=registry.example.com/platform FLEET=${env.FLEET} NODE=${node} MACHINE=n3 AGENTS=0.1.1`
  return `${settings}\n${commands.replaceAll(/^export (?:REGISTRY|FLEET|NODE|MACHINE)=.*\n/gm, '')}`
}

/**
 * Images are imported, for there is no registry; ssh enters the nodes; pods are told the address of the API server, for there is no
 * kube-proxy. Everything else is what a person has.
 */
async function stationFor(cluster: Cluster): Promise<Workstation> {
  const folder = join(cluster.slot.dir, 'workstation')
  await mkdir(folder, { recursive: true })
  const helm = (await buildBinaries(['helm'], () => undefined))('helm')
  const { hostname, port } = new URL(cluster.server)
  const env = [
    { name: 'KUBERNETES_SERVICE_HOST', value: hostname },
    { name: 'KUBERNETES_SERVICE_PORT', value: port },
  ]
  const values = join(folder, 'api-server.yaml')
  await writeFile(values, stringify({ controller: { env, options: ['--poll=1s'] } }))
  const node = process.execPath
  const enter = `${node} ${join(checkout, 'test/e2e/enter.ts')} ${cluster.slot.number}/`
  const nodes = ofKubeadm(cluster)
    .map(({ name }) => name)
    .join(' ')
  const programs = {
    kubectl: `exec ${cluster.binary('kubectl')} "$@"`,
    helm: `if [ "$1" = install ]; then set -- "$@" --values ${values}; fi\nexec ${helm} "$@"`,
    nodewave: `exec ${node} ${join(checkout, 'src/cli/main.ts')} "$@"`,
    npm: [
      '[ "$1" = ci ] && exit 0',
      `[ "$1" = run ] || PATH=${process.env.PATH} exec npm "$@"`,
      'program=$2; shift 2; if [ $# -gt 0 ]; then shift; fi',
      `exec ${node} ${checkout}/scripts/$program/main.ts "$@" --out "$PWD/dist-$program"`,
    ].join('\n'),
    skopeo: `for node in ${nodes}; do ${enter}$node ctr -n k8s.io images import - < "\${2#oci-archive:}"; done`,
    ssh: `node=$1; shift 2; exec ${enter}$node "$@"`,
  }
  const { url } = await cluster.repository('adopted')
  return workstation(folder, programs, {
    FLEET: url,
    KUBECONFIG: cluster.kubeconfig,
    NODEWAVE_E2E_CACHE: cacheRoot,
    NODEWAVE_IMAGE_CACHE: join(cacheRoot, 'image'),
    USER: 'grace',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'Grace',
    GIT_AUTHOR_EMAIL: 'grace@example.com',
    GIT_COMMITTER_NAME: 'Grace',
    GIT_COMMITTER_EMAIL: 'grace@example.com',
  })
}

function difference(before: string, after: string): string[] {
  const [one, other] = [before, after].map((text) => text.split('\n')) as [string[], string[]]
  return [
    ...one.filter((line) => !other.includes(line)).map((line) => `- ${line}`),
    ...other.filter((line) => !one.includes(line)).map((line) => `+ ${line}`),
  ]
}

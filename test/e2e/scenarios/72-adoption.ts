/** The page "Adopt a running cluster": its commands, run one after the other, adopt two nodes and take everything away again. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { buildBinaries } from '../build/binaries.ts'
import { cacheRoot } from '../build/cache.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import { writeContainerDropIn } from '../product/agent.ts'
import { checkout } from '../product/checkout.ts'
import { followPage, sectionsOf, type Workstation, workstation } from '../product/page-commands.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'adoption', nodes: [{}, {}], builds: ['helm'], run: adoption }]

async function adoption(cluster: Cluster, report: Report): Promise<void> {
  const page = await readFile(join(checkout, 'docs/adopt.md'), 'utf8')
  const before = await Promise.all(cluster.nodes.map(prepare))
  const station = await stationFor(cluster)
  const all = sectionsOf(page).map((section) => ({ ...section, commands: withSettings(station, section.commands) }))
  const change = all.findIndex(({ title }) => title.startsWith('6.'))
  check(
    'the page has its sections',
    all.length === 7 && change === 5,
    all.map(({ title }) => title),
  )
  const kubelets = await Promise.all(cluster.nodes.map(kubeletOf))
  await followPage(all.slice(0, change), station, report)
  check('no kubelet was restarted', String(await Promise.all(cluster.nodes.map(kubeletOf))) === String(kubelets), kubelets)
  const printed = await followPage(all.slice(change), station, report)
  check('the plan named the node of the change', printed[0]?.includes('1 of 2 nodes change') === true, printed[0])
  const after = await Promise.all(cluster.nodes.map(stateOf))
  check('the hosts are as they were', after.join('\n') === before.join('\n'), difference(before.join('\n'), after.join('\n')))
  check('no namespace is left', !/nodewave/.test(await cluster.kubectl(['get', 'namespaces', '-o', 'name'])))
}

/** As a host without nodewave. */
async function prepare(node: Node): Promise<string> {
  await node.exec(['rm', '-r', '/opt/nodewave'])
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
function withSettings({ env }: Workstation, commands: string): string {
  const settings = `export REGISTRY=registry.example.com/platform FLEET=${env.FLEET} NODE=n2`
  return `${settings}\n${commands.replaceAll(/^export (?:REGISTRY|FLEET|NODE)=.*\n/gm, '')}`
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
  const nodes = cluster.nodes.map(({ name }) => name).join(' ')
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

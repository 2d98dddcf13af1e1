/** The kubelet by apt: up, broken and back, and down again with the repository gone; a small package beside it. */
import { packageRevision } from '../artifacts/kubelet-deb.ts'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import type { FleetOptions } from '../product/fleet.ts'
import { rolledBack, stallOf, waitPool } from '../product/pool.ts'
import { type Product, productOn } from '../product/product.ts'
import { allAt } from '../product/upgrade.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [
  { name: 'packages', nodes: [{ packaged: true }], group: 'packaged', run: byPackages },
]

/** The source of whoever installed the node: apt takes no repository that two files give two keys. */
const theirs = '/etc/apt/sources.list.d/kubernetes.list'
const host = { files: [{ path: theirs, state: 'absent' }] }
const older: FleetOptions = { version: versions.olderKubelet, packaged: true, host, rollout: { onFailure: 'Rollback' } }
const newer: FleetOptions = { ...older, version: versions.kubernetes }
const ours = '/etc/apt/sources.list.d/nodewave-release-local.sources'

async function byPackages(cluster: Cluster, { part, say }: Report): Promise<void> {
  const product = await productOn(cluster)
  const node = cluster.node('n1')
  const before = await node.unit()
  await part('node comes under Git', () => product.settle(older))
  check('the kubelet was not restarted for it', (await node.unit()).MainPID === before.MainPID)
  await part('push → kubelet of the newer package', () => product.settle(newer))
  await allAt(cluster, versions.kubernetes)
  await checkPackage(node, versions.kubernetes)
  await part('a change that fails → the newer package is back', () => broken(cluster, product))
  await part('back, with the repository gone', () => withoutRepository(product, node))
  await allAt(cluster, versions.olderKubelet)
  await checkPackage(node, versions.olderKubelet)
  say(await node.output(['ls', '-s', '/var/lib/nodewave/packages']))
}

async function checkPackage(node: Node, version: string): Promise<void> {
  const status = (await node.output(['dpkg', '--status', 'kubelet'])).split('\n')
  const isSo = status.includes('Status: hold ok installed') && status.includes(`Version: ${version}-${packageRevision}`)
  check('the package is installed and held', isSo, status)
  check('apt is content', (await node.exec(['apt-get', 'check'])).code === 0)
  check('the repository is on the host', (await node.read(ours)).includes('Signed-By:'))
}

/** No preflight sees a runtime that is not there. */
async function broken(cluster: Cluster, product: Product): Promise<void> {
  const flags = { 'container-runtime-endpoint': 'unix:///run/none.sock' }
  const commit = await product.push({ ...older, flags }, 'an older kubelet, and a runtime that is not there')
  const status = await waitPool(cluster, { for: 'the failure', when: rolledBack(commit) })
  check('the pool says why', stallOf(status).includes('n1'), stallOf(status))
  await allAt(cluster, versions.kubernetes)
  await checkPackage(cluster.node('n1'), versions.kubernetes)
}

async function withoutRepository(product: Product, node: Node): Promise<void> {
  const { hostname } = new URL(/^URIs: (\S+)/m.exec(await node.read(ours))?.[1] ?? '')
  const drop = ['OUTPUT', '-p', 'tcp', '-d', hostname, '--dport', '8080', '-j', 'REJECT']
  await node.exec(['iptables', '-A', ...drop])
  await product.settle(older)
  await node.exec(['iptables', '-D', ...drop])
}

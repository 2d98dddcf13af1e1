/** The kubelet by dnf, on a host whose packages are rpm's: up, broken and back, and down again with the repository gone. */
import { fileURLToPath } from 'node:url'
import { rpmRelease } from '../artifacts/rpm-repository.ts'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import { run } from '../exec.ts'
import type { FleetOptions } from '../product/fleet.ts'
import { rolledBack, stallOf, waitPool } from '../product/pool.ts'
import { type Product, productOn } from '../product/product.ts'
import { allAt } from '../product/upgrade.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'dnf', nodes: [{ packaged: 'rpm' }], run: byDnf }]

const older: FleetOptions = { version: versions.olderKubelet, packaged: 'rpm', rollout: { onFailure: 'Rollback' } }
const newer: FleetOptions = { ...older, version: versions.kubernetes }
const ours = '/etc/yum.repos.d/nodewave-release-local.repo'

async function byDnf(cluster: Cluster, { part }: Report): Promise<void> {
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
  await part('what the agent takes dnf and rpm to do', behaviours)
}

async function checkPackage(node: Node, version: string): Promise<void> {
  const installed = await node.output(['rpm', '-q', 'kubelet'])
  check('the package is installed', installed === `kubelet-${version}-${rpmRelease}.x86_64`, installed)
  check('it is as the package brought it', (await node.exec(['rpm', '-V', '--nomtime', 'kubelet'])).code === 0)
  check('dnf leaves it alone', (await node.read('/etc/dnf/dnf.conf')).includes('excludepkgs=kubelet'))
  check('its repository is checked', (await node.read(ours)).includes('gpgcheck=1'))
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
  const { hostname } = new URL(/^baseurl=(\S+)/m.exec(await node.read(ours))?.[1] ?? '')
  const drop = ['OUTPUT', '-p', 'tcp', '-d', hostname, '--dport', '8080', '-j', 'REJECT']
  await node.exec(['iptables', '-A', ...drop])
  await product.settle(older)
  await node.exec(['iptables', '-D', ...drop])
}

/** The same suite that holds for apt and for the simulated host, with the real programs in roots of their own. */
async function behaviours(): Promise<void> {
  const cwd = fileURLToPath(new URL('../../..', import.meta.url))
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', 'test/agent/packages/behaviour.test.ts', '--testNamePattern=^real dnf']
  await run(process.execPath, vitest, { cwd, env: { NODEWAVE_DNF: 'real' } })
}

/** The kubelet by dnf or zypper, on hosts whose packages are rpm's: up, broken and back, and down again with the repository gone. */
import { rpmRelease } from '../artifacts/rpm-repository.ts'
import type { RpmManager } from '../build/rpm-root.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import { kubeletByPackage } from '../product/by-package.ts'
import { packageBehaviours } from '../product/package-behaviours.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [
  { name: 'dnf', nodes: [{ packaged: 'dnf' }], run: (cluster, report) => byRpm('dnf', cluster, report) },
  { name: 'zypper', nodes: [{ packaged: 'zypper' }], run: (cluster, report) => byRpm('zypper', cluster, report) },
]

const REPOSITORIES = {
  dnf: '/etc/yum.repos.d/nodewave-release-local.repo',
  zypper: '/etc/zypp/repos.d/nodewave-release-local.repo',
} as const

/** What says that the program leaves the kubelet alone. */
const HELD = {
  dnf: async (node: Node) => (await node.read('/etc/dnf/dnf.conf')).includes('excludepkgs=kubelet'),
  zypper: async (node: Node) => (await node.output(['zypper', '--terse', 'locks'])).includes('kubelet'),
} as const

async function byRpm(manager: RpmManager, cluster: Cluster, report: Report): Promise<void> {
  const repository = REPOSITORIES[manager]
  const isInstalled = async (node: Node, version: string): Promise<void> => {
    const installed = await node.output(['rpm', '-q', 'kubelet'])
    check('the package is installed', installed === `kubelet-${version}-${rpmRelease}.x86_64`, installed)
    check('it is as the package brought it', (await node.exec(['rpm', '-V', '--nomtime', 'kubelet'])).code === 0)
    check(`${manager} leaves it alone`, await HELD[manager](node))
    check('its repository is checked', (await node.read(repository)).includes('gpgcheck=1'))
  }
  await kubeletByPackage(cluster, report, { fleet: { packaged: manager }, repository, isInstalled })
  await report.part(`what the agent takes ${manager} and rpm to do`, () => packageBehaviours(manager))
}

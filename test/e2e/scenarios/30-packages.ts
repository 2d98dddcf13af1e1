/** The kubelet by apt: up, broken and back, and down again with the repository gone. */
import { packageRevision } from '../artifacts/kubelet-deb.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import { kubeletByPackage } from '../product/by-package.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [
  { name: 'packages', nodes: [{ packaged: true }], group: 'packaged', run: byPackages },
]

/** The source of whoever installed the node: apt takes no repository that two files give two keys. */
const theirs = '/etc/apt/sources.list.d/kubernetes.list'
const host = { files: [{ path: theirs, state: 'absent' }] }
const repository = '/etc/apt/sources.list.d/nodewave-release-local.sources'

async function byPackages(cluster: Cluster, report: Report): Promise<void> {
  const node = await kubeletByPackage(cluster, report, { fleet: { packaged: true, host }, repository, isInstalled })
  report.say(await node.output(['ls', '-s', '/var/lib/nodewave/packages']))
}

async function isInstalled(node: Node, version: string): Promise<void> {
  const status = (await node.output(['dpkg', '--status', 'kubelet'])).split('\n')
  const isSo = status.includes('Status: hold ok installed') && status.includes(`Version: ${version}-${packageRevision}`)
  check('the package is installed and held', isSo, status)
  check('apt is content', (await node.exec(['apt-get', 'check'])).code === 0)
  check('the repository is on the host', (await node.read(repository)).includes('Signed-By:'))
}

/** A kubelet by a package: up, broken and back, and down again with the repository gone. */
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import { check, type Report } from '../scenario.ts'
import type { FleetOptions } from './fleet.ts'
import { rolledBack, stallOf, waitPool } from './pool.ts'
import { type Product, productOn } from './product.ts'
import { allAt } from './upgrade.ts'

export interface PackagedKubelet {
  /** The fleet but for the version of the kubelet. */
  readonly fleet: Omit<FleetOptions, 'version'>
  /** Where the agent writes the repository. */
  readonly repository: string
  /** That the package manager has this version, and will leave it alone. */
  readonly isInstalled: (node: Node, version: string) => Promise<void>
}

export async function kubeletByPackage(cluster: Cluster, { part }: Report, packaged: PackagedKubelet): Promise<Node> {
  const product = await productOn(cluster)
  const node = cluster.node('n1')
  const older: FleetOptions = { ...packaged.fleet, version: versions.olderKubelet, rollout: { onFailure: 'Rollback' } }
  const isAt = async (version: string): Promise<void> => {
    await allAt(cluster, version)
    await packaged.isInstalled(node, version)
  }
  const before = await node.unit()
  await part('node comes under Git', () => product.settle(older))
  check('the kubelet was not restarted for it', (await node.unit()).MainPID === before.MainPID)
  await part('push → kubelet of the newer package', () => product.settle({ ...older, version: versions.kubernetes }))
  await isAt(versions.kubernetes)
  await part('a change that fails → the newer package is back', async () => {
    await broken(cluster, product, older)
    await isAt(versions.kubernetes)
  })
  await part('back, with the repository gone', async () => {
    const { hostname } = new URL(/^(?:URIs: |baseurl=)(\S+)/m.exec(await node.read(packaged.repository))?.[1] ?? '')
    const drop = ['OUTPUT', '-p', 'tcp', '-d', hostname, '--dport', '8080', '-j', 'REJECT']
    await node.exec(['iptables', '-A', ...drop])
    await product.settle(older)
    await node.exec(['iptables', '-D', ...drop])
  })
  await isAt(versions.olderKubelet)
  return node
}

/** No preflight sees a runtime that is not there. */
async function broken(cluster: Cluster, product: Product, older: FleetOptions): Promise<void> {
  const flags = { 'container-runtime-endpoint': 'unix:///run/none.sock' }
  const commit = await product.push({ ...older, flags }, 'an older kubelet, and a runtime that is not there')
  const status = await waitPool(cluster, { for: 'the failure', when: rolledBack(commit) })
  check('the pool says why', stallOf(status).includes('n1'), stallOf(status))
}

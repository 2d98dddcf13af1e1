/** The page "From commands on machines to Git": its YAML makes a bare machine a node, and its edit reaches the kubelet and is reverted. */
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleAgent } from '../../../scripts/bundle-agent.ts'
import { pageEdit, pageFiles } from '../../docs/page-files.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import { nodePlace } from '../cluster/node-files.ts'
import { waitUntil } from '../cluster/wait.ts'
import { installAgent } from '../product/agent.ts'
import { allowBootstrap, leaveToken } from '../product/bare.ts'
import { checkout } from '../product/checkout.ts'
import { forThisCluster } from '../product/page.ts'
import { completed, waitPool } from '../product/pool.ts'
import { productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'origins', nodes: [{ layout: 'bare' }], run: followPage }]

async function followPage(cluster: Cluster, { part }: Report): Promise<void> {
  const page = await readFile(join(checkout, 'docs/from-the-origins.md'), 'utf8')
  const node = cluster.node('n1')
  const downloads = join(cluster.slot.dir, 'downloads')
  await mkdir(downloads, { recursive: true })
  const { pods } = nodePlace(cluster.slot, 1)
  const files = await part('downloads packed', () => forThisCluster(cluster, { files: pageFiles(page), downloads, pods }))
  const { repository } = await productOn(cluster)
  await joinCluster(cluster, node)
  const first = await repository.push(files, 'as the page says')
  await part('push → the machine is a node', () => waitPool(cluster, { for: 'Ready', when: completed(first) }))
  await node.waitReady()
  await checkNode(cluster, node)

  const { path, before, after } = pageEdit(page)
  check('the kubelet runs as the page begins', (await configz(cluster)).eventRecordQPS === 50)
  const edit = await repository.push({ [path]: (files[path] ?? '').replace(before, after) }, 'fewer events')
  await part('the edit of the page → the kubelet runs with it', () => until(cluster, 10))
  await part('git revert → the kubelet runs as before', async () => {
    await repository.revert(edit)
    await until(cluster, 50)
  })
}

async function joinCluster(cluster: Cluster, node: Node): Promise<void> {
  const bundle = await bundleAgent(cluster.slot.dir)
  await installAgent(node, { bundle, args: ['--node-labels', 'pool=workers'] })
  await leaveToken(cluster, node, await allowBootstrap(cluster))
  await node.exec(['systemctl', 'restart', 'nodewave-agent'])
}

/** What the commands of the page would have brought. */
async function checkNode(cluster: Cluster, node: Node): Promise<void> {
  const { metadata, status } = await node.get()
  check('the Node has the label of the pool', metadata.labels?.['example.com/role'] === 'node', metadata.labels)
  check('the override counts', status.capacity.pods === '60', status.capacity)
  const { clusterDNS, evictionHard } = await configz(cluster)
  check('the cluster DNS is that of all kubelets', String(clusterDNS) === '10.95.0.10', clusterDNS)
  check(
    'the limits are those of the pool',
    (evictionHard as Record<string, string>)['memory.available'] === '100Mi',
    evictionHard,
  )
  const found = await node.output([
    'ls',
    '/opt/cni/bin/bridge',
    '/usr/local/sbin/runc',
    '/usr/local/bin/containerd',
    '/usr/bin/kubelet',
    '/usr/bin/socat',
  ])
  check('programs are where the commands put them', found.split('\n').length === 5, found)
  const units = await node.output(['systemctl', 'is-active', 'containerd', 'kubelet'])
  check('containerd and kubelet run', units === 'active\nactive', units)
  check('nothing is swapped to', (await node.output(['cat', '/etc/systemd/system/swap.d/10-nodewave.conf'])) !== '')
}

async function configz(cluster: Cluster): Promise<Readonly<Record<string, unknown>>> {
  const text = await cluster.kubectl(['get', '--raw', '/api/v1/nodes/n1/proxy/configz'])
  return (JSON.parse(text) as { readonly kubeletconfig: Record<string, unknown> }).kubeletconfig
}

async function until(cluster: Cluster, value: number): Promise<void> {
  const runs = async () =>
    configz(cluster).then(
      ({ eventRecordQPS }) => eventRecordQPS === value,
      () => false,
    )
  await waitUntil(runs, { for: `the kubelet to run with eventRecordQPS ${value}` })
}

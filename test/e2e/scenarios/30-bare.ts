/** A machine with nothing but systemd and the agent becomes a node from Git alone, is upgraded from Git, and mends what somebody breaks. */
import { parse } from 'yaml'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { kubeletConfig } from '../cluster/kubelet-config.ts'
import type { Node } from '../cluster/node.ts'
import { nodePlace } from '../cluster/node-files.ts'
import { waitUntil } from '../cluster/wait.ts'
import { allowBootstrap, bareProfile, leaveToken } from '../product/bare.ts'
import { timeFirstContent, timeJoining, watchCertificates } from '../product/bare-parts.ts'
import type { FleetOptions } from '../product/fleet.ts'
import { type Product, productOn } from '../product/product.ts'
import { furnishFor, manifestOf, waitMirrored } from '../product/static-pods.ts'
import { check, type Report, type Scenario } from '../scenario.ts'
import { startTimeline } from '../timeline.ts'
import { deploy } from '../workload.ts'

export const scenarios: readonly Scenario[] = [{ name: 'bare', nodes: [{ layout: 'bare' }], run: fromGitAlone }]

async function fromGitAlone(cluster: Cluster, report: Report): Promise<void> {
  const { part } = report
  using timeline = await startTimeline(cluster.api)
  using certificates = watchCertificates(cluster.api)
  const node = cluster.node('n1')
  const found = await node.output([
    'sh',
    '-c',
    'command -v kubelet containerd ctr runc; ls /opt /etc/kubernetes /etc/cni || true',
  ])
  check('nothing of a kubelet is on the machine', !/kubelet|containerd|cni/.test(found), found)
  const { host: profile, ...fleet } = await part('downloads packed', () => fleetOf(cluster))
  await leaveToken(cluster, node, await allowBootstrap(cluster))
  const product = await part('agent installed, controller started', () => productOn(cluster))
  await part('token → the machine has a Node', () =>
    waitUntil(
      () =>
        node.get().then(
          () => true,
          () => false,
        ),
      { for: 'the Node to be there' },
    ),
  )
  await timeJoining({ node, timeline, report }, certificates)

  const commit = await product.push({ ...fleet, version: versions.olderKubelet, host: profile ?? {} }, 'all that a node needs')
  const pushed = performance.now()
  await part('push → Ready, and proved', () => product.settled(commit))
  await timeFirstContent({ node, timeline, report }, pushed, versions.olderKubelet)
  await node.waitReady()
  await node.waitVersion(versions.olderKubelet)
  await part('pods run on it', () => deploy(cluster, { name: 'web', replicas: 2 }))
  const mode = await node.output(['stat', '-c', '%a %U', '/etc/kubernetes/kubelet.conf', '/opt/cni/bin/bridge', '/opt/cni/bin'])
  check('credential and plugins belong to root', mode === '600 root\n755 root\n755 root', mode)

  await part('kubelet upgraded', () => product.settle({ ...fleet, version: versions.kubernetes, host: profile ?? {} }))
  await node.waitVersion(versions.kubernetes)
  await part('static pods, flags, label and taint of a control plane, from Git', () =>
    ruling({ cluster, node, product }, { ...fleet, version: versions.kubernetes, host: profile ?? {} }),
  )
  await part('machine restarted → Ready again', async () => {
    const { bootID } = (await node.get()).status.nodeInfo
    await node.powerOff()
    await node.boot()
    await waitUntil(async () => (await node.get()).status.nodeInfo.bootID !== bootID, { for: 'the Node to have another boot id' })
    await node.waitReady()
    for (const { component } of PARTS) await waitMirrored(cluster, { name: `${component}-n1`, ready: true })
  })
}

/** They stand for those of kubeadm: same place, same labels. */
const PARTS = [
  { component: 'kube-apiserver', tag: `v${versions.kubernetes}` },
  { component: 'etcd', tag: `${versions.etcd}-0` },
] as const
const ROLE = 'node-role.kubernetes.io/control-plane'

interface Place {
  readonly cluster: Cluster
  readonly node: Node
  readonly product: Product
}

async function ruling({ cluster, node, product }: Place, fleet: FleetOptions): Promise<void> {
  for (const pod of PARTS) await furnishFor(node, pod)
  const files = [...((fleet.host?.files ?? []) as readonly object[]), ...PARTS.map(manifestOf)]
  const settings = { labels: { [ROLE]: '' }, taints: [{ key: ROLE, effect: 'NoSchedule' }] }
  await product.settle({ ...fleet, host: { ...fleet.host, files }, node: settings, flags: { v: '3' } })
  for (const { component } of PARTS) await waitMirrored(cluster, { name: `${component}-n1`, ready: true })
  const found = await cluster.kubectl(['get', 'node', 'n1', '-o', 'jsonpath={.metadata.labels}{.spec.taints}'])
  check('the Node has label and taint', found.includes(`"${ROLE}":""`) && found.includes('NoSchedule'), found)
  const command = await node.output(['sh', '-c', 'tr "\\\\0" " " < /proc/$(pidof kubelet)/cmdline'])
  check('the kubelet has the flags of a control plane', command.includes('--v=3'), command)
}

async function fleetOf(cluster: Cluster): Promise<Omit<FleetOptions, 'version'>> {
  const { pods } = nodePlace(cluster.slot, 1)
  const { apiVersion: _version, kind: _kind, ...config } = parse(kubeletConfig()) as Record<string, unknown>
  return { layout: 'managed', config, host: await bareProfile(cluster, { pods }) }
}

/** A machine with nothing but systemd and the agent joins a control plane: its first kubelet, with flags and static pods, comes from Git. */
import { parse, stringify } from 'yaml'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { kubeletConfig } from '../cluster/kubelet-config.ts'
import { nodePlace } from '../cluster/node-files.ts'
import { allowBootstrap, bareProfile, leaveToken } from '../product/bare.ts'
import type { FleetOptions } from '../product/fleet.ts'
import { waitPool } from '../product/pool.ts'
import { productOn } from '../product/product.ts'
import { furnitureOf, manifestOf, runStaticPod, type StaticPod, waitMirrored } from '../product/static-pods.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [
  { name: 'bare-control-plane', nodes: [{}, { layout: 'bare' }], run: joinsControlPlane },
]

const ROLE = 'node-role.kubernetes.io/control-plane'
const MEMBERS: readonly StaticPod[] = [
  { component: 'kube-apiserver', tag: `v${versions.kubernetes}` },
  { component: 'etcd', tag: `${versions.etcd}-0` },
]
/** Of those that kubeadm does not write: the agent proves it by its mirror pod. */
const ADDRESS: StaticPod = { component: 'kube-vip', tag: 'v1.0.0' }
const PODS = [...MEMBERS, ADDRESS]

async function joinsControlPlane(cluster: Cluster, { part }: Report): Promise<void> {
  const node = cluster.node('n2')
  await part('a control plane of one', () => firstOf(cluster))
  await leaveToken(cluster, node, await allowBootstrap(cluster))
  await part('the Node with its role, before the agent is there', () => cluster.apply(stringify(announced)))
  const fleet = await part('downloads packed', () => fleetOf(cluster))
  const product = await part('agent installed, controller started', () => productOn(cluster))

  await part('push → kubelet and static pods of a control-plane node, proved', () => product.settle(fleet))
  await node.waitReady()
  await node.waitVersion(fleet.version)
  for (const { component } of PODS) await waitMirrored(cluster, { name: `${component}-n2`, ready: true })
  const found = await cluster.kubectl(['get', 'node', 'n2', '-o', 'jsonpath={.metadata.labels}{.spec.taints}'])
  check('the Node has its role, and the taint from Git', found.includes(`"${ROLE}":""`) && found.includes('NoSchedule'), found)
  const command = (await node.read(`/proc/${(await node.unit()).MainPID}/cmdline`)).split('\0')
  check('the kubelet has the flag of the pool', command.includes('--v=3'), command)
  const manifests = await node.output(['ls', '/etc/kubernetes/manifests'])
  check('it runs the manifests from Git, and no other', manifests === 'etcd.yaml\nkube-apiserver.yaml\nkube-vip.yaml', manifests)

  await product.push({ ...fleet, flags: { v: '4' } }, 'another flag')
  await part('from then on it is a member like the other: the next commit waits', () =>
    waitPool(cluster, {
      for: 'ControlPlaneUnhealthy',
      when: ({ conditions }) => conditions.some(({ message }) => message.includes('etcd has 2 members and needs 2')),
    }),
  )
}

/** As kubeadm makes it. */
async function firstOf(cluster: Cluster): Promise<void> {
  await cluster.kubectl(['label', 'node', 'n1', `${ROLE}=`])
  for (const pod of MEMBERS) await runStaticPod(cluster, cluster.node('n1'), pod)
}

/** A kubelet cannot give itself the role, and the pool selects by it. */
const announced = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n2', labels: { [ROLE]: '', 'kubernetes.io/hostname': 'n2', 'kubernetes.io/os': 'linux' } },
}

async function fleetOf(cluster: Cluster): Promise<FleetOptions & { readonly version: string }> {
  const { pods } = nodePlace(cluster.slot, 2)
  const { apiVersion: _version, kind: _kind, ...config } = parse(kubeletConfig()) as Record<string, unknown>
  const furniture = PODS.map(furnitureOf)
  const profile = await bareProfile(cluster, { pods, tags: furniture.map(({ tag }) => tag) })
  const files = [...profile.files, ...furniture.map(({ file }) => file), ...MEMBERS.map(manifestOf)]
  return {
    ...{ version: versions.olderKubelet, layout: 'managed', config, flags: { v: '3' } },
    selector: { [ROLE]: '', 'kubernetes.io/hostname': 'n2' },
    host: { ...profile, files, staticPods: [manifestOf(ADDRESS)] },
    node: { taints: [{ key: ROLE, effect: 'NoSchedule' }] },
  }
}

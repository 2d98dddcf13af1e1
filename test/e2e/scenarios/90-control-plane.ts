/** Nodes of the control plane are changed one at a time, while all others are well, and get no kubelet that is ahead of the oldest API server. */
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { assignedNodes, checkOneByOne } from '../product/course.ts'
import type { FleetOptions } from '../product/fleet.ts'
import { stallOf, waitPool } from '../product/pool.ts'
import { productOn } from '../product/product.ts'
import { runStaticPod, setReady, waitMirrored } from '../product/static-pods.ts'
import { check, type Report, type Scenario } from '../scenario.ts'
import { startTimeline } from '../timeline.ts'

export const scenarios: readonly Scenario[] = [{ name: 'control-plane', nodes: [{}, {}, {}], run: controlPlane }]

const old = { version: versions.olderKubelet }

/** All at once, if it were not for the control plane. */
const atOnce = { waves: [{ name: 'all', nodes: '100%' }], maxUnavailable: '100%' }

async function controlPlane(cluster: Cluster, { part }: Report): Promise<void> {
  const [product] = await Promise.all([
    part('nodewave installed', () => productOn(cluster)),
    part('static pods mirrored and Ready', () => stacked(cluster)),
  ])
  const push = (fleet: Partial<FleetOptions>, message: string) => product.push({ ...old, rollout: atOnce, ...fleet }, message)
  using timeline = await startTimeline(cluster.api)
  const first = await push({}, 'adopt')
  await part('adopted one by one', () => product.settled(first))
  checkOneByOne(await timeline.upToNow(), first)

  await setReady(cluster.node('n2'), 'etcd', false)
  await waitMirrored(cluster, { name: 'etcd-n2', ready: false })
  const second = await push({ config: { maxPods: 60 } }, 'another number of pods')
  await part('a sick member → the others wait, and the pool says for which', () =>
    waitPool(cluster, {
      for: 'ControlPlaneUnhealthy',
      when: ({ conditions: [ready] }) =>
        ready?.reason === 'ControlPlaneUnhealthy' && ready.message.includes('etcd "etcd-n2" is not ready'),
    }),
  )
  const touched = assignedNodes(await timeline.upToNow(), second)
  check('only the node of the sick member was taken', touched.join() === 'n2', touched)
  await setReady(cluster.node('n2'), 'etcd', true)
  await part('member healthy → all nodes current', () => product.settled(second))
  checkOneByOne(await timeline.upToNow(), second)

  await runStaticPod(cluster, cluster.node('n3'), { component: 'kube-apiserver', tag: `v${versions.olderKubelet}` })
  const third = await push({ version: versions.kubernetes }, 'a minor that one API server does not have')
  const refusal = `API server "kube-apiserver-n3" at v${versions.olderKubelet}; allowed: 1.33 to 1.35`
  await part('an older API server → withheld', () =>
    waitPool(cluster, { for: 'VersionSkew', when: (status) => stallOf(status).includes(refusal) }),
  )
  check('no node was taken', assignedNodes(await timeline.upToNow(), third).length === 0)
  await runStaticPod(cluster, cluster.node('n3'), { component: 'kube-apiserver', tag: `v${versions.kubernetes}` })
  await part('API server upgraded → all kubelets upgraded', () => product.settled(third))
  checkOneByOne(await timeline.upToNow(), third)
}

/** As kubeadm makes it: on each node an API server and a member of etcd. */
async function stacked(cluster: Cluster): Promise<void> {
  const pods = [
    { component: 'kube-apiserver', tag: `v${versions.kubernetes}` },
    { component: 'etcd', tag: `${versions.etcd}-0` },
  ] as const
  const started = cluster.nodes.flatMap((node) => [
    cluster.kubectl(['label', 'node', node.name, 'node-role.kubernetes.io/control-plane=']),
    ...pods.map((pod) => runStaticPod(cluster, node, pod)),
  ])
  await Promise.all(started)
}

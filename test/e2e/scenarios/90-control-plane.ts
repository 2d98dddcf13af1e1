/** No kubelet gets ahead of the oldest API server, and nodes of the control plane are changed one at a time, while all others are well. */
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { run } from '../exec.ts'
import { checkout } from '../product/checkout.ts'
import { assignedNodes, checkOneByOne } from '../product/course.ts'
import { type FleetOptions, fleetFiles } from '../product/fleet.ts'
import { checkNotRestarted, kubeletsOf } from '../product/kubelets.ts'
import { stallOf, waitPool } from '../product/pool.ts'
import { type Product, productOn } from '../product/product.ts'
import { runStaticPod, setReady, waitMirrored } from '../product/static-pods.ts'
import { check, type Report, type Scenario } from '../scenario.ts'
import { startTimeline } from '../timeline.ts'

export const scenarios: readonly Scenario[] = [
  { name: 'skew', nodes: [{}, {}], group: 'fleet', run: skew },
  { name: 'control-plane', nodes: [{}, {}, {}], run: controlPlane },
]

const old = { version: versions.olderKubelet }
/** Of a minor that the API server does not have. Nothing is downloaded of it. */
const TOO_NEW = '1.37.1'

async function skew(cluster: Cluster, { part }: Report): Promise<void> {
  const product = await productOn(cluster)
  await part('fleet settled', () => product.settle(old))
  const before = await kubeletsOf(cluster)
  using timeline = await startTimeline(cluster.api)
  const refusal = `pool "workers": kubelet ${TOO_NEW} is newer than the API server at v${versions.kubernetes}; allowed: 1.33 to 1.36`
  const commit = await product.repository.push(await newerFleet(cluster), `kubelet ${TOO_NEW}`)
  const planned = await part('refused at plan', () => plan(cluster, product))
  check('plan ends with 2', planned.code === 2, planned)
  check('plan says why, and where', /refused .*\n +workers\.yaml:\d+:\d+/.test(planned.stdout), planned.stdout)
  check('plan names pool, versions and what is allowed', planned.stdout.includes(refusal), planned.stdout)
  const isWithheld = (status: Parameters<typeof stallOf>[0]) =>
    status.observedRevision === commit && stallOf(status) === `VersionSkew: ${refusal}`
  await part('push → withheld', () => waitPool(cluster, { for: 'VersionSkew', when: isWithheld }))
  const reverted = await product.repository.revert(commit)
  await part('git revert → Ready', () => product.settled(reverted))
  const assigned = assignedNodes(await timeline.upToNow(), commit)
  check('no node was assigned it', assigned.length === 0, assigned)
  await checkNotRestarted(cluster, before)
}

/** The fleet with a version for which it only has a made-up checksum. */
async function newerFleet(cluster: Cluster): Promise<Record<string, string>> {
  const files = await fleetFiles(cluster, { version: TOO_NEW })
  const release = parse(files['release.yaml'] ?? '')
  release.spec.binary.sha256[TOO_NEW] = { amd64: '0'.repeat(64) }
  return { ...files, 'release.yaml': stringify(release) }
}

function plan({ kubeconfig }: Cluster, { repository }: Product) {
  const args = [join(checkout, 'src/cli/main.ts'), 'plan', repository.clone, '--from=HEAD~1', '--to=HEAD']
  return run(process.execPath, [...args, `--kubeconfig=${kubeconfig}`], { allowFailure: true })
}

/** All at once, if it were not for the control plane. */
const atOnce = { waves: [{ name: 'all', nodes: '100%' }], maxUnavailable: '100%' }

async function controlPlane(cluster: Cluster, { part }: Report): Promise<void> {
  const product = await productOn(cluster)
  const push = (fleet: Partial<FleetOptions>, message: string) => product.push({ ...old, rollout: atOnce, ...fleet }, message)
  await part('static pods mirrored and Ready', () => stacked(cluster))
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

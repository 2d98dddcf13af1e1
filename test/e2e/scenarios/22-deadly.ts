/** Commits that are valid and would take a cluster down: at most one node is hurt, heals by itself, and the pool says why. */
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { assignedNodes, firstSays, isAssigned } from '../product/course.ts'
import type { FleetOptions } from '../product/fleet.ts'
import { isHealthy } from '../product/kubelets.ts'
import { rolledBack, stallOf, waitPool } from '../product/pool.ts'
import { type Product, productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'
import { startTimeline } from '../timeline.ts'

export const scenarios: readonly Scenario[] = [{ name: 'deadly', nodes: [{}, {}], group: 'fleet', run: deadly }]

const good = { version: versions.olderKubelet, rollout: { onFailure: 'Rollback' } }

interface Deadly {
  readonly name: string
  readonly fleet: Pick<FleetOptions, 'config' | 'flags' | 'host'>
  /** Part of what the pool says. */
  readonly cause: string
}

const kubeletDropIn = (exec: string) => ({
  units: [{ name: 'kubelet.service', dropIns: { '99-deadly.conf': `[Service]\nExecStart=\nExecStart=${exec}\n` } }],
})
const usual = '/usr/bin/kubelet $KUBELET_KUBECONFIG_ARGS $KUBELET_CONFIG_ARGS $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS'
const containerdConfig = '/etc/containerd/config.toml'

/** docs/deadly-commits.md has a line for each. */
const COMMITS: readonly Deadly[] = [
  {
    name: 'hostname-override in a drop-in',
    fleet: { host: kubeletDropIn(`${usual} --hostname-override=wrong-name`) },
    cause: 'has not reported to Node',
  },
  {
    name: 'runtime endpoint',
    fleet: { config: { containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sok' } },
    cause: 'containerd.sok',
  },
  {
    name: 'drop-in that breaks ExecStart',
    fleet: { host: kubeletDropIn('/usr/bin/kubelet-that-is-not-there') },
    cause: 'kubelet',
  },
  {
    name: 'missing TLS certificate',
    fleet: { config: { tlsCertFile: '/etc/kubernetes/none.crt', tlsPrivateKeyFile: '/etc/kubernetes/none.key' } },
    cause: 'none.crt',
  },
  {
    name: 'kubeconfig that is not there',
    fleet: { flags: { kubeconfig: '/etc/kubernetes/none.conf' } },
    cause: 'unable to load bootstrap kubeconfig',
  },
  {
    name: 'containerd configuration',
    fleet: {
      host: {
        files: [{ path: containerdConfig, content: 'version = "no number"\n[[[\n' }],
        units: [{ name: 'containerd.service', restartOn: [containerdConfig] }],
      },
    },
    cause: 'containerd',
  },
  { name: 'reservations over capacity', fleet: { config: { systemReserved: { memory: '500Gi' } } }, cause: 'llocatable' },
  {
    name: 'broken CNI configuration',
    fleet: { host: { files: [{ path: '/etc/cni/net.d/00-deadly.conflist', content: '{{{' }] } },
    cause: 'the Node is not Ready',
  },
]

async function deadly(cluster: Cluster, report: Report): Promise<void> {
  const product = await productOn(cluster)
  await report.part('fleet settled', () => product.settle(good))
  for (const one of COMMITS) await report.part(one.name, () => tryOne(cluster, { one, product, report }))
}

async function tryOne(
  cluster: Cluster,
  { one, product, report }: { readonly one: Deadly; readonly product: Product; readonly report: Report },
): Promise<void> {
  using timeline = await startTimeline(cluster.api)
  const commit = await product.push({ ...good, ...one.fleet }, one.name)
  const status = await waitPool(cluster, { for: `"${one.name}" to be rolled back`, when: rolledBack(commit) })
  const said = stallOf(status)
  check(
    `${one.name}: the pool is not Ready`,
    !status.conditions.some(({ type, status }) => type === 'Ready' && status === 'True'),
  )
  check(`${one.name}: the pool names the cause`, said.includes(one.cause), said)
  const moments = await timeline.upToNow()
  const [canary = '', ...others] = assignedNodes(moments, commit)
  check(`${one.name}: one node alone was tried`, others.length === 0, others)
  const taken = await timeline.first((moment) => moment.node === canary && isAssigned(moment, commit), 'the canary')
  const healed = await firstSays(timeline, canary, { commit, phase: 'RolledBack' })
  report.time(`${one.name}: assigned → healed`, healed.at - taken.at)
  check(`${one.name}: healed within two minutes`, healed.at - taken.at < 120_000, healed.at - taken.at)
  report.say(`${one.name}: ${said}`)
  for (const node of cluster.nodes) check(`${one.name}: "${node.name}" is healthy`, await isHealthy(node))
}

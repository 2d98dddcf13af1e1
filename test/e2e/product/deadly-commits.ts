/** Commits that are valid and would take a cluster down. docs/deadly-commits.md has a line for each, made from a run. */
import { PAUSE_IMAGE, TEST_IMAGE } from '../build/images.ts'
import type { FleetOptions } from './fleet.ts'
import { SHARED_PATH } from './shared-claim.ts'

/** What kept the commit from more nodes than one. */
export const CATCHERS = ['preflight', 'activation', 'health', 'pod proof', 'soak'] as const
export type Catcher = (typeof CATCHERS)[number]

export interface DeadlyCommit {
  readonly name: string
  /** As it is told in the docs, where the name does not tell it all. */
  readonly about?: string
  readonly fleet: Pick<FleetOptions, 'config' | 'flags' | 'host'>
  readonly soak?: string
  /** Milliseconds; until every node is as before. Default: two minutes. */
  readonly healsWithin?: number
  /** Commands in each node that make it one that the commit would kill, and what takes that away again. */
  readonly nodes?: { readonly before: readonly Command[]; readonly after: readonly Command[] }
  readonly caughtBy: Catcher
  /** Where the kubelet may notice only when the pod has run. */
  readonly elseBy?: Catcher
  /** Part of what the pool says. */
  readonly cause: string
}

type Command = readonly string[]

export const TWO_MINUTES = 120_000
/**
 * A minute of silence, 16 s for each of two proofs, and as long as a kubelet can take to say Ready after a cut: it compares
 * with the Node that its watch has seen, waits up to 60 s before it lists again (client-go: 30 s, and as much of jitter), and
 * looks every 10 s. That is 162 s.
 */
const AFTER_A_CUT = 170_000

/** Of the cluster that the commits are pushed to. */
export interface DeadlyPlace {
  /** The configuration of containerd that the nodes have. */
  readonly containerd: string
  /** URL of the API server. */
  readonly server: string
}

/** Resolves a name: kubelet, runtime, network and DNS of pods have to work. */
export const RESOLVES = {
  image: TEST_IMAGE,
  command: ['/bin/busybox', 'nslookup', 'kubernetes.default.svc.cluster.local'],
  timeout: '30s',
}

/** The kubelet takes the driver from the runtime, from 1.34 on, and finds the settings of the kernel as it wants them. */
export const HARMLESS = { cgroupDriver: 'cgroupfs', protectKernelDefaults: true }

const containerdConfig = '/etc/containerd/config.toml'
const usual = '/usr/bin/kubelet $KUBELET_KUBECONFIG_ARGS $KUBELET_CONFIG_ARGS $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS'

export function deadlyCommits({ containerd, server }: DeadlyPlace): readonly DeadlyCommit[] {
  return [
    {
      name: 'hostname-override in a drop-in of kubelet.service',
      fleet: { host: kubeletDropIn(`${usual} --hostname-override=wrong-name`) },
      caughtBy: 'health',
      cause: 'has not reported to Node',
    },
    {
      name: 'runtime endpoint that is not there',
      fleet: { config: { containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sok' } },
      caughtBy: 'health',
      cause: 'containerd.sok',
    },
    {
      name: 'drop-in that breaks ExecStart',
      fleet: { host: kubeletDropIn('/usr/bin/kubelet-that-is-not-there') },
      caughtBy: 'health',
      cause: 'kubelet',
    },
    {
      name: 'TLS certificate that is not there',
      fleet: { config: { tlsCertFile: '/etc/kubernetes/none.crt', tlsPrivateKeyFile: '/etc/kubernetes/none.key' } },
      caughtBy: 'health',
      cause: 'none.crt',
    },
    {
      name: 'another kubeconfig, which is not there',
      fleet: { flags: { kubeconfig: '/etc/kubernetes/none.conf' } },
      caughtBy: 'health',
      cause: 'unable to load bootstrap kubeconfig',
    },
    {
      name: 'another kubeconfig, whose user the API server does not know',
      fleet: { flags: { kubeconfig: stranger }, host: { files: [{ path: stranger, content: kubeconfigOf(server) }] } },
      caughtBy: 'health',
      cause: 'unable to load bootstrap kubeconfig',
    },
    {
      name: 'port that is taken',
      about: '`port: 10248`, where the kubelet also serves its health',
      fleet: { config: { port: 10248 } },
      caughtBy: 'health',
      cause: 'address already in use',
    },
    {
      name: 'swap with failSwapOn',
      about: '`failSwapOn: true` on nodes with swap',
      fleet: { config: { failSwapOn: true } },
      nodes: { before: SWAP, after: [['umount', '/proc/swaps']] },
      caughtBy: 'health',
      cause: 'swap',
    },
    {
      name: 'staticPodPath lost',
      about: '`staticPodPath: /etc/kubernetes/none` on nodes with a static pod',
      fleet: { config: { staticPodPath: '/etc/kubernetes/none' } },
      nodes: { before: [['sh', '-c', `echo '${staticPod}' > ${manifest}`]], after: [['rm', manifest]] },
      caughtBy: 'preflight',
      cause: 'essential.json',
    },
    {
      name: 'containerd configuration that does not parse',
      fleet: { host: containerdWith('version = "no number"\n[[[\n') },
      caughtBy: 'activation',
      cause: 'containerd',
    },
    {
      name: 'reservations over capacity',
      about: '`systemReserved: {memory: 500Gi}`',
      fleet: { config: { systemReserved: { memory: '500Gi' } } },
      caughtBy: 'health',
      cause: 'llocatable',
    },
    {
      name: 'CNI configuration that does not parse',
      fleet: { host: { files: [{ path: '/etc/cni/net.d/00-deadly.conflist', content: '{{{' }] } },
      caughtBy: 'health',
      cause: 'the Node is not Ready',
    },
    {
      name: 'CNI configuration with a plugin that is not there',
      fleet: { host: { files: [{ path: '/etc/cni/net.d/00-deadly.conflist', content: cniWithout('no-such-plugin') }] } },
      caughtBy: 'pod proof',
      cause: 'no-such-plugin',
    },
    {
      name: 'wrong clusterDNS',
      about: '`clusterDNS: [192.0.2.53]`, where nobody answers; the pod resolves a name',
      fleet: { config: { clusterDNS: ['192.0.2.53'] } },
      caughtBy: 'pod proof',
      cause: 'exit code 1',
    },
    {
      name: 'sandbox image that cannot be had',
      fleet: { host: containerdWith(containerd.replace(PAUSE_IMAGE, 'registry.invalid/pause:0')) },
      caughtBy: 'pod proof',
      cause: 'registry.invalid/pause:0',
    },
    {
      name: 'maxPods below what runs',
      about: '`maxPods: 1` on nodes with two pods',
      fleet: { config: { maxPods: 1 } },
      caughtBy: 'pod proof',
      cause: 'OutOfpods',
    },
    {
      name: 'volume that can no longer be mounted',
      about: 'a link leads elsewhere, the kubelet restarts, and the pod mounts a claim',
      fleet: { config: { maxPods: 100 }, host: { links: [{ path: SHARED_PATH, target: '/srv/none' }] } },
      caughtBy: 'pod proof',
      cause: 'hostPath type check failed',
    },
    {
      name: 'serving certificate that nobody approves',
      about: '`serverTLSBootstrap: true`: pods run, and logs, exec and metrics are gone',
      fleet: { config: { serverTLSBootstrap: true } },
      caughtBy: 'health',
      cause: 'does not serve',
    },
    {
      name: 'unit that cuts the node off',
      about: 'a firewall; here a route that drops all packets to the API server as long as the unit runs',
      fleet: { host: { units: [{ name: 'firewall.service', content: dropping(server), state: 'running' }] } },
      caughtBy: 'health',
      healsWithin: AFTER_A_CUT,
      cause: 'the API server answered right before the change',
    },
    {
      name: 'route of systemd-networkd that cuts the node off',
      about: 'a drop-in with a gateway that does not exist, and `restartOn` of `systemd-networkd.service`',
      fleet: { host: routing(server) },
      caughtBy: 'health',
      healsWithin: AFTER_A_CUT,
      cause: 'the API server answered right before the change',
    },
    {
      name: 'eviction threshold over capacity',
      about: '`evictionHard: {memory.available: 900Gi}`',
      fleet: { config: { evictionHard: { 'memory.available': '900Gi' } } },
      caughtBy: 'health',
      cause: 'llocatable',
    },
    {
      name: 'eviction threshold above what is free',
      about: "`evictionHard: {nodefs.available: '98%'}` puts the node under disk pressure",
      fleet: { config: { evictionHard: { 'nodefs.available': '98%' } } },
      soak: '60s',
      caughtBy: 'pod proof',
      elseBy: 'soak',
      cause: 'DiskPressure',
    },
  ]
}

const stranger = '/etc/kubernetes/stranger.conf'

const addressOf = (server: string): string => server.replace(/^https:\/\/|:\d+$/g, '')

/** The last address of the network belongs to nobody. */
function routing(server: string): NonNullable<FleetOptions['host']> {
  const path = '/etc/systemd/network/10-host0.network.d/50-route.conf'
  const address = addressOf(server)
  const content = `[Route]\nDestination=${address}/32\nGateway=${address.replace(/\d+$/, '254')}\n`
  return { files: [{ path, content }], units: [{ name: 'systemd-networkd.service', state: 'running', restartOn: [path] }] }
}

function dropping(server: string): string {
  const route = `blackhole ${addressOf(server)}/32`
  return `[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/usr/sbin/ip route add ${route}\nExecStop=/usr/sbin/ip route del ${route}\n`
}

function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'stranger',
    clusters: [{ name: 'cluster', cluster: { server, 'certificate-authority': '/etc/kubernetes/pki/ca.crt' } }],
    users: [{ name: 'stranger', user: { token: 'nobody-knows-it' } }],
    contexts: [{ name: 'stranger', context: { cluster: 'cluster', user: 'stranger' } }],
  })
}

/** As the kernel shows it; for nodes that share a kernel, none of them may have swap of its own. */
const SWAP: readonly Command[] = [
  ['sh', '-c', "printf 'Filename\\tType\\tSize\\tUsed\\tPriority\\n/dev/sda2 partition 1048572 0 -2\\n' > /run/swaps"],
  ['mount', '--bind', '/run/swaps', '/proc/swaps'],
]

const manifest = '/etc/kubernetes/manifests/essential.json'
const staticPod = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'essential', namespace: 'kube-system' },
  spec: {
    hostNetwork: true,
    terminationGracePeriodSeconds: 1,
    containers: [{ name: 'essential', image: TEST_IMAGE, imagePullPolicy: 'Never', command: ['/bin/busybox', 'sleep', '86400'] }],
  },
})

function kubeletDropIn(exec: string) {
  const content = `[Service]\nExecStart=\nExecStart=${exec}\n`
  return { units: [{ name: 'kubelet.service', dropIns: { '99-deadly.conf': content } }] }
}

function containerdWith(content: string) {
  return {
    files: [{ path: containerdConfig, content }],
    units: [{ name: 'containerd.service', restartOn: [containerdConfig] }],
  }
}

function cniWithout(type: string): string {
  return JSON.stringify({ cniVersion: '1.0.0', name: 'deadly', plugins: [{ type }] })
}

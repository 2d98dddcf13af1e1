import { stringify } from 'yaml'
import type { KubeApi } from '../../kube/kube-api.ts'
import type { Clock, HostFiles, Log } from '../ports.ts'
import { newKey } from './certificate-request.ts'
import { obtainCertificate, RequestDenied, unless } from './obtain-certificate.ts'

/** Where the kubelet keeps the credential that it is given, and renews it. */
const PKI = '/var/lib/kubelet/pki'
const CURRENT = `${PKI}/kubelet-client-current.pem`
/** What kubeadm leaves on a node for `clientCAFile`: the kubelet lets in whom the cluster's authority vouches for. */
const AUTHORITY = '/etc/kubernetes/pki/ca.crt'
const PRIVATE = { mode: 0o600 }
const NODES = '/api/v1/nodes'
/** The Default of the kubelet, which reports its own number with its first status. */
const USUAL_PODS = '110'
const PAUSES = { first: 2000, longest: 60_000 }

export interface JoiningNode {
  readonly name: string
  /** Of the Node that is made; an existing one keeps its own. */
  readonly labels: Readonly<Record<string, string>>
  /** `amd64`, `arm64` */
  readonly arch: string
  /** What its kubelet will report: numbers of its configuration may depend on it. */
  readonly capacity: { readonly cpu: string; readonly memory: string }
}

/** The API server, as somebody without a Node may use it. */
export interface JoinedCluster {
  readonly kube: KubeApi
  readonly server: string
  /** Of the API server, PEM; undefined: those that the machine trusts anyway. */
  readonly authority: string | undefined
}

export interface BootstrapPorts {
  readonly files: HostFiles
  readonly clock: Clock
  readonly log: Log
  /** The API server with the bootstrap token. */
  connect(): Promise<JoinedCluster>
  /** The same with the credential of a kubeconfig on this host. */
  connectAs(kubeconfig: string): Promise<KubeApi>
}

export interface BootstrapPaths {
  readonly stateDirectory: string
  /** What the kubelet and the agent use from then on. Nothing is done once it is there. */
  readonly kubeconfig: string
}

/** Tries until the machine has a credential and a Node, or `signal` aborts. */
export async function bootstrap(
  node: JoiningNode,
  { paths, ports, signal }: { readonly paths: BootstrapPaths; readonly ports: BootstrapPorts; readonly signal: AbortSignal },
): Promise<void> {
  for (let pause = PAUSES.first; !signal.aborted; pause = Math.min(2 * pause, PAUSES.longest)) {
    try {
      await join(node, { paths, ports, signal })
      ports.log.info('this machine joined the cluster', { node: node.name })
      return
    } catch (error) {
      if (signal.aborted) return
      ports.log.warn('this machine cannot join the cluster yet', { error: (error as Error).message })
      if (error instanceof RequestDenied) await ports.files.remove(keyAt(paths))
      await ports.clock.sleep(pause, signal)
    }
  }
}

/** The kubeconfig comes last: an agent that dies before that begins again, with the key that it has. */
async function join(
  node: JoiningNode,
  { paths, ports, signal }: { readonly paths: BootstrapPaths; readonly ports: BootstrapPorts; readonly signal: AbortSignal },
): Promise<void> {
  const { files, clock } = ports
  const key = await ownKey(paths, files)
  const cluster = await ports.connect()
  const certificate = await obtainCertificate({ node: node.name, key }, { kube: cluster.kube, clock, signal })
  const pair = `${PKI}/kubelet-client-${stampOf(clock.now())}.pem`
  await files.writeAtomic(pair, Buffer.from(`${certificate.trimEnd()}\n${key}`), PRIVATE)
  await files.link(CURRENT, pair)
  const text = Buffer.from(kubeconfigText(cluster))
  const draft = `${paths.stateDirectory}/kubelet.conf`
  await files.writeAtomic(draft, text, PRIVATE)
  await makeNode(node, { kube: await ports.connectAs(draft), signal })
  if (cluster.authority !== undefined && (await files.stat(AUTHORITY)) === undefined)
    await files.writeAtomic(AUTHORITY, Buffer.from(`${cluster.authority.trimEnd()}\n`), { mode: 0o644 })
  await files.writeAtomic(paths.kubeconfig, text, PRIVATE)
  await files.remove(draft)
  await files.remove(keyAt(paths))
}

/** On disk before it is used: a restart asks for the same certificate. */
async function ownKey(paths: BootstrapPaths, files: HostFiles): Promise<string> {
  const kept = await files.read(keyAt(paths))
  if (kept !== undefined) return Buffer.from(kept).toString()
  const key = newKey()
  await files.writeAtomic(keyAt(paths), Buffer.from(key), PRIVATE)
  return key
}

function keyAt({ stateDirectory }: BootstrapPaths): string {
  return `${stateDirectory}/bootstrap.key`
}

/**
 * The controller assigns to Nodes, and there is no kubelet yet that would register one. A Node that somebody else made is completed: by
 * one that has room for no pod, the first kubelet would refuse its static pods for good.
 */
async function makeNode(
  { name, labels, arch, capacity }: JoiningNode,
  { kube, signal }: { readonly kube: KubeApi; readonly signal: AbortSignal },
): Promise<void> {
  const own = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': arch }
  const room = { ...capacity, pods: USUAL_PODS }
  const status = { capacity: room, allocatable: room }
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { ...labels, ...own } }, status }
  await unless('AlreadyExists', kube.create(NODES, node, { signal }))
  const made = await kube.get<MadeNode>(`${NODES}/${name}`, { signal })
  if (made.status?.allocatable?.pods === undefined) await kube.patch(`${NODES}/${name}/status`, { status }, { signal })
}

interface MadeNode {
  readonly status?: { readonly allocatable?: { readonly pods?: string } }
}

/** As a kubelet that bootstraps itself writes it. */
function kubeconfigText({ server, authority }: JoinedCluster): string {
  const trusted = authority && { 'certificate-authority-data': Buffer.from(authority).toString('base64') }
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'default-cluster', cluster: { server, ...trusted } }],
    users: [{ name: 'default-auth', user: { 'client-certificate': CURRENT, 'client-key': CURRENT } }],
    contexts: [{ name: 'default-context', context: { cluster: 'default-cluster', user: 'default-auth' } }],
    'current-context': 'default-context',
  })
}

/** As the kubelet names its files: `2026-11-22-10-30-00`. */
function stampOf(now: number): string {
  return new Date(now).toISOString().slice(0, 19).replaceAll(/[T:]/g, '-')
}

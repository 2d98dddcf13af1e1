/** The files of a documentation page, with what this cluster has in place of the internet, and with what its machines need besides. */
import { parse, stringify } from 'yaml'
import { debianBase } from '../build/base.ts'
import { testImages } from '../build/images.ts'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { runtimeFiles } from '../cluster/container-runtime.ts'
import { kubeletConfig } from '../cluster/kubelet-config.ts'
import { importer, pack, publish, startServer } from './bare.ts'

export interface PageOptions {
  readonly files: Readonly<Record<string, string>>
  /** Directory that is served. */
  readonly downloads: string
  /** Addresses of the pods of its one machine. */
  readonly pods: string
}

interface Artifact {
  readonly url: string
  readonly sha256: unknown
}

/** A machine of the tests needs these two; the page's documents stay as they are. */
const OF_A_CONTAINER = ['failCgroupV1', 'failSwapOn'] as const

export async function forThisCluster(
  cluster: Cluster,
  { files, downloads: dir, pods }: PageOptions,
): Promise<Record<string, string>> {
  const local = await localArtifacts(cluster, dir)
  const changed = Object.entries(files).map(([path, text]): [string, string] => {
    if (!path.endsWith('.yaml')) return [path, text]
    const document = withLocal(parse(text), local)
    return [path.replace('worker-1', 'n1'), stringify(path === 'pools/workers.yaml' ? withOwn(document) : renamed(document))]
  })
  const runtime = new Map(runtimeFiles(pods).map(({ path, content }) => [path, content]))
  const own = {
    'e2e/config.yaml': ownConfig(),
    'e2e/host.yaml': await ownHost(cluster, { dir, network: String(runtime.get(NETWORK)) }),
    // A machine of the tests may not lower the score of a process.
    'hosts/files/containerd.toml': String(runtime.get('/etc/containerd/config.toml')),
  }
  await startServer(cluster, dir)
  return { ...Object.fromEntries(changed), ...own }
}

const NETWORK = '/etc/cni/net.d/10-bridge.conflist'

/** By a part of the URL that the page has. */
async function localArtifacts(cluster: Cluster, dir: string): Promise<Readonly<Record<string, Artifact>>> {
  const programs = ['containerd', 'containerd-shim-runc-v2', 'ctr']
  const plugins = ['bridge', 'loopback', 'host-local', 'portmap']
  const kubelet = `${cluster.artifacts}/release/v{{version}}/bin/linux/{{arch}}/kubelet`
  const sum = await fetch(`${cluster.artifacts}/release/v${versions.olderKubelet}/bin/linux/amd64/kubelet.sha256`)
  return {
    'containernetworking/plugins': await pack(cluster, { dir, archive: 'cni.tar.gz', members: plugins }),
    'containerd/containerd': await pack(cluster, { dir, archive: 'containerd.tar.gz', members: programs, below: 'bin/' }),
    'opencontainers/runc': await publish(cluster, { dir, file: cluster.binary('runc') }),
    'dl.k8s.io': { url: kubelet, sha256: { [versions.olderKubelet]: { amd64: (await sum.text()).trim() } } },
  }
}

function withLocal(value: unknown, local: Readonly<Record<string, Artifact>>): unknown {
  if (Array.isArray(value)) return value.map((each) => withLocal(each, local))
  if (typeof value !== 'object' || value === null) return value
  const { url } = value as Partial<Artifact>
  const found = Object.entries(local).find(([part]) => url?.includes(part))?.[1]
  const members = Object.entries(value).map(([key, member]): [string, unknown] => [key, withLocal(member, local)])
  return { ...Object.fromEntries(members), ...found }
}

function renamed(document: unknown): unknown {
  return JSON.parse(JSON.stringify(document).replaceAll('worker-1', 'n1'))
}

interface Pool {
  readonly spec: {
    readonly kubelet: { readonly config: readonly string[] }
    readonly hostProfiles: readonly string[]
    readonly rollout: { readonly waves: readonly object[] }
  }
}

/** Nobody waits for a soak here. */
function withOwn(pool: unknown): unknown {
  const { spec, ...head } = pool as Pool
  const kubelet = { ...spec.kubelet, config: [...spec.kubelet.config, 'e2e'] }
  const waves = spec.rollout.waves.map((wave) => ({ ...wave, soak: '0s' }))
  return { ...head, spec: { ...spec, kubelet, hostProfiles: [...spec.hostProfiles, 'e2e'], rollout: { ...spec.rollout, waves } } }
}

function ownConfig(): string {
  const all = parse(kubeletConfig()) as Record<string, unknown>
  const config = Object.fromEntries(OF_A_CONTAINER.map((field) => [field, all[field]]))
  return document('KubeletConfig', { config })
}

/** A network, and images that a registry would have. */
async function ownHost(cluster: Cluster, { dir, network }: { readonly dir: string; readonly network: string }): Promise<string> {
  const images = await testImages(await debianBase(() => undefined))
  const downloads = await Promise.all(images.map((file) => publish(cluster, { dir, file })))
  return document('HostProfile', {
    files: [
      { path: NETWORK, content: network },
      ...downloads.map((download, index) => ({ path: `/opt/images/${index}.tar`, download })),
    ],
    units: [importer(downloads.length)],
  })
}

function document(kind: string, spec: object): string {
  return stringify({ apiVersion: 'nodewave.io/v1alpha1', kind, metadata: { name: 'e2e' }, spec })
}

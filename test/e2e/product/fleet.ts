/** A fleet repository for the tests: one pool of all nodes unless told otherwise, kubelets from the artifact server. */
import { stringify } from 'yaml'
import { repositoryPath } from '../artifacts/apt-repository.ts'
import { packageRevision } from '../artifacts/kubelet-deb.ts'
import { rpmRelease, rpmRepositoryPath } from '../artifacts/rpm-repository.ts'
import { kubeletVersions } from '../build/layers.ts'
import type { RpmManager } from '../build/rpm-root.ts'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'

export interface FleetOptions extends PoolOptions {
  /** Merged over the Fleet's `spec`. */
  readonly limits?: Readonly<Record<string, unknown>>
  /** Pools beside `workers`, by name. */
  readonly others?: Readonly<Record<string, PoolOptions>>
}

export interface PoolOptions {
  /** Absent: nodewave does not manage it. */
  readonly version?: string
  /** Kubelets come as packages, and not as binaries. */
  readonly packaged?: boolean | RpmManager
  /** Labels of the pool's nodes. Default: all nodes. */
  readonly selector?: Readonly<Record<string, string>>
  /** KubeletConfiguration of all nodes. */
  readonly config?: Readonly<Record<string, unknown>>
  readonly flags?: Readonly<Record<string, unknown>>
  /** Default: kubeadm. */
  readonly layout?: string
  /** Labels, annotations and taints of all nodes. */
  readonly node?: Readonly<Record<string, unknown>>
  /** `spec` of a HostProfile of all nodes. */
  readonly host?: Readonly<Record<string, unknown>>
  /** Merged over the pool's `spec.rollout`. */
  readonly rollout?: Readonly<Record<string, unknown>>
}

/** Path → text, to be pushed. */
export async function fleetFiles(cluster: Cluster, options: FleetOptions): Promise<Record<string, string>> {
  const { limits = {}, others = {}, ...workers } = options
  // Scenarios share a cluster, and most begin with the older version.
  const back = { allowDowngrade: true }
  const fleet = {
    rollout: { maxUnavailable: 1, maxFailures: 0, onFailure: 'Halt', trial: '5s', drain: { mode: 'Never' }, ...back },
    ...limits,
  }
  const pools = Object.entries({ workers, ...others }).map(([name, pool]) => poolFiles(name, pool))
  return {
    'fleet.yaml': document('Fleet', 'e2e', fleet),
    'release.yaml': document('KubeletRelease', 'local', await release(cluster, workers.packaged)),
    ...Object.assign({}, ...pools),
  }
}

function poolFiles(name: string, options: PoolOptions): Record<string, string> {
  const { version, selector = { 'kubernetes.io/os': 'linux' }, config = {}, flags = {}, host, rollout = {} } = options
  const { layout = 'kubeadm', node } = options
  const waves = [
    { name: 'canary', nodes: 1, soak: '0s' },
    { name: 'rest', nodes: '100%' },
  ]
  const pool = {
    nodeSelector: { matchLabels: selector },
    kubelet: { ...(version && { version, release: 'local' }), layout, flags, config: [`${name}-base`] },
    ...(node && { node }),
    ...(host && { hostProfiles: [`${name}-host`] }),
    rollout: { waves, ...rollout },
  }
  return {
    [`${name}-config.yaml`]: document('KubeletConfig', `${name}-base`, { config }),
    ...(host && { [`${name}-host.yaml`]: document('HostProfile', `${name}-host`, host) }),
    [`${name}.yaml`]: document('NodePool', name, pool),
  }
}

async function release(cluster: Cluster, packaged: PoolOptions['packaged']) {
  if (typeof packaged === 'string') return { [packaged]: await rpms(cluster) }
  return packaged ? { apt: await packages(cluster) } : { binary: await binaries(cluster) }
}

async function rpms({ artifacts }: Cluster) {
  const key = await fetch(`${artifacts}/${rpmRepositoryPath(versions.kubernetes)}/repodata/repomd.xml.key`)
  return { url: `${artifacts}/core:/stable:/v{{minor}}/rpm/`, key: await key.text(), version: `{{version}}-${rpmRelease}` }
}

async function packages({ artifacts }: Cluster) {
  const url = `${artifacts}/core:/stable:/v{{minor}}/deb/`
  const key = await fetch(`${artifacts}/${repositoryPath(versions.kubernetes)}/Release.key`)
  return { url, key: await key.text(), version: `{{version}}-${packageRevision}` }
}

async function binaries({ artifacts }: Cluster) {
  const sums = kubeletVersions.map(async (version) => {
    const answer = await fetch(`${artifacts}/release/v${version}/bin/linux/amd64/kubelet.sha256`)
    return [version, { amd64: (await answer.text()).trim() }] as const
  })
  const url = `${artifacts}/release/v{{version}}/bin/linux/{{arch}}/kubelet`
  return { url, sha256: Object.fromEntries(await Promise.all(sums)) }
}

function document(kind: string, name: string, spec: object): string {
  return stringify({ apiVersion: 'nodewave.io/v1alpha1', kind, metadata: { name }, spec })
}

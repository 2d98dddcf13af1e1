/** What is built from which Go module, in the order in which a cold cache is filled. */
import { versions } from './versions.ts'

export interface Recipe {
  readonly module: string
  readonly version: string
  /** Name of the binary → package that makes it. */
  readonly binaries: Readonly<Record<string, string>>
  /** Kubernetes replaces its libraries by folders that the module proxy does not have: point them at the published ones. */
  readonly staging?: boolean
  readonly cgo?: boolean
  readonly tags?: string
  readonly ldflags?: string
  /** No cluster needs it: built only where it is named. */
  readonly onlyByName?: boolean
  /** It only builds within its own module, whose go.mod replaces others. */
  readonly ownModule?: boolean
}

const kubernetesCommands = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet', 'kubectl'] as const

export const recipes: readonly Recipe[] = [
  { module: 'go.etcd.io/etcd/server/v3', version: versions.etcd, binaries: { etcd: 'go.etcd.io/etcd/server/v3' } },
  kubernetes(versions.kubernetes, kubernetesCommands),
  {
    module: 'github.com/containerd/containerd/v2',
    version: versions.containerd,
    binaries: {
      containerd: 'github.com/containerd/containerd/v2/cmd/containerd',
      'containerd-shim-runc-v2': 'github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2',
      ctr: 'github.com/containerd/containerd/v2/cmd/ctr',
    },
    tags: 'no_btrfs',
    ldflags: `-X github.com/containerd/containerd/v2/version.Version=v${versions.containerd}`,
  },
  {
    module: 'github.com/opencontainers/runc',
    version: versions.runc,
    binaries: { runc: 'github.com/opencontainers/runc' },
    cgo: true,
    tags: 'seccomp',
    ldflags: `-X main.version=${versions.runc}`,
  },
  {
    module: 'github.com/containernetworking/plugins',
    version: versions.cni,
    binaries: {
      bridge: 'github.com/containernetworking/plugins/plugins/main/bridge',
      loopback: 'github.com/containernetworking/plugins/plugins/main/loopback',
      'host-local': 'github.com/containernetworking/plugins/plugins/ipam/host-local',
      portmap: 'github.com/containernetworking/plugins/plugins/meta/portmap',
    },
  },
  kubernetes(versions.olderKubelet, ['kubelet']),
  { module: 'sigs.k8s.io/kwok', version: versions.kwok, binaries: { kwok: 'sigs.k8s.io/kwok/cmd/kwok' } },
  {
    module: 'github.com/prometheus/prometheus',
    version: versions.prometheus,
    binaries: { prometheus: 'github.com/prometheus/prometheus/cmd/prometheus' },
    onlyByName: true,
  },
  {
    module: 'github.com/prometheus/prometheus',
    version: versions.prometheus,
    binaries: { promtool: 'github.com/prometheus/prometheus/cmd/promtool' },
    onlyByName: true,
    tags: 'remove_all_sd',
  },
  { module: 'helm.sh/helm/v4', version: versions.helm, binaries: { helm: 'helm.sh/helm/v4/cmd/helm' }, onlyByName: true },
  {
    module: 'github.com/goreleaser/nfpm/v2',
    version: versions.nfpm,
    binaries: { nfpm: 'github.com/goreleaser/nfpm/v2/cmd/nfpm' },
    onlyByName: true,
  },
  {
    module: 'code.gitea.io/gitea',
    version: versions.gitea,
    binaries: { gitea: 'code.gitea.io/gitea' },
    onlyByName: true,
    ownModule: true,
    cgo: true,
    tags: 'sqlite sqlite_unlock_notify',
    ldflags: `-X main.Version=${versions.gitea}`,
  },
]

function kubernetes(version: string, commands: readonly string[]): Recipe {
  return {
    module: 'k8s.io/kubernetes',
    version,
    binaries: Object.fromEntries(commands.map((name) => [name, `k8s.io/kubernetes/cmd/${name}`])),
    staging: true,
    ldflags: versionFlags(version),
  }
}

/** Without these the binaries call themselves v0.0.0-master and the version skew checks misbehave. */
function versionFlags(version: string): string {
  const [major, minor] = version.split('.')
  return ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version']
    .flatMap((pkg) => [`-X ${pkg}.gitVersion=v${version}`, `-X ${pkg}.gitMajor=${major}`, `-X ${pkg}.gitMinor=${minor}`])
    .join(' ')
}

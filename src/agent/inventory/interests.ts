/** What of a host belongs to a node: nobody wants every file and package of a distribution in a repository. */

export const UNITS = [
  'containerd.service',
  'crio.service',
  'docker.service',
  'cri-docker.service',
  'chrony.service',
  'chronyd.service',
  'systemd-timesyncd.service',
  'ntpsec.service',
  'iscsid.service',
  'multipathd.service',
  'rpcbind.service',
] as const

/** By the names of Debian, Fedora and SUSE. Besides these, every package that is held. The kubelet's is none: a release manages it. */
export const PACKAGES = [
  'containerd',
  'containerd.io',
  'runc',
  'cri-o',
  'docker-ce',
  'docker',
  'moby-engine',
  'cri-dockerd',
  'kubeadm',
  'kubectl',
  'cri-tools',
  'kubernetes-cni',
  'conntrack',
  'conntrack-tools',
  'socat',
  'ipset',
  'iproute-tc',
  'nfs-common',
  'nfs-utils',
  'nfs-client',
  'open-iscsi',
  'iscsi-initiator-utils',
  'multipath-tools',
  'device-mapper-multipath',
  'chrony',
  'nvidia-container-toolkit',
] as const

/** Directories of small configuration files, by the ending of those that count. */
export const FILE_DIRECTORIES: readonly (readonly [directory: string, ending: string])[] = [
  ['/etc/sysctl.d', '.conf'],
  ['/etc/modules-load.d', '.conf'],
  ['/etc/crio/crio.conf.d', '.conf'],
  ...UNITS.map((unit) => [`/etc/systemd/system/${unit}.d`, '.conf'] as const),
  ['/etc/systemd/system/kubelet.service.d', '.conf'],
]

export const FILES = ['/etc/containerd/config.toml', '/etc/crictl.yaml', '/etc/docker/daemon.json'] as const

/** One directory a registry, each with this file. */
export const REGISTRIES = { directory: '/etc/containerd/certs.d', file: 'hosts.toml' } as const

/** Of the administrator. Those of a distribution, and what a subscription or zypper writes again by itself, are left alone. */
export const REPOSITORY_FILES: readonly (readonly [directory: string, wanted: RegExp])[] = [
  ['/etc/apt/sources.list.d', /^(?!debian\.|ubuntu).*\.(?:list|sources)$/],
  ['/etc/yum.repos.d', /^(?!redhat\.).*\.repo$/],
]

export const REPOSITORY_DIRECTORIES = ['/etc/apt/sources.list.d', '/etc/yum.repos.d', '/etc/zypp/repos.d'] as const

export const CERTIFICATE_DIRECTORIES = [
  '/usr/local/share/ca-certificates',
  '/etc/pki/ca-trust/source/anchors',
  '/etc/pki/trust/anchors',
] as const

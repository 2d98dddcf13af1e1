/** Every version the real cluster is made of. */
export const versions = {
  kubernetes: '1.36.3',
  /** The older kubelet, from which upgrades start. */
  olderKubelet: '1.35.4',
  etcd: '3.7.3',
  containerd: '2.4.2',
  runc: '1.5.2',
  cni: '1.9.1',
  kwok: '0.8.0',
  /** As its Go module counts: 0.305 is 3.5. */
  prometheus: '0.305.0',
  helm: '4.3.1',
  /** Modules that later ones need are not on every proxy. */
  nfpm: '2.45.0',
  /** Later ones have another module path. */
  gitea: '1.26.0',
  debian: 'bookworm',
} as const

import { stringify } from 'yaml'

/** The KubeletConfiguration as kubeadm writes it, and the two settings that this kind of node needs besides. */
export function kubeletConfig(): string {
  return stringify({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: {
      anonymous: { enabled: false },
      webhook: { cacheTTL: '0s', enabled: true },
      x509: { clientCAFile: '/etc/kubernetes/pki/ca.crt' },
    },
    authorization: { mode: 'Webhook', webhook: { cacheAuthorizedTTL: '0s', cacheUnauthorizedTTL: '0s' } },
    cgroupDriver: 'systemd',
    clusterDNS: ['10.96.0.10'],
    clusterDomain: 'cluster.local',
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    healthzBindAddress: '127.0.0.1',
    healthzPort: 10248,
    rotateCertificates: true,
    staticPodPath: '/etc/kubernetes/manifests',
    failCgroupV1: false,
    failSwapOn: false,
  })
}

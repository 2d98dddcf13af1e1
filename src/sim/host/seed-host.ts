import { EXTRA_ARGS_FILES, KUBEADM_DROP_INS, KUBEADM_FLAGS, KUBELET_BINARY, KUBELET_CONFIG } from '../../agent/paths.ts'
import { kubeletBinary } from './kubelet-launch.ts'
import { RUNTIME_ENDPOINT } from './kubelet-verdict.ts'
import type { MemoryFiles } from './memory-files.ts'

/** As kubeadm and the Debian packages leave a node. */
export function seedKubeadm(files: MemoryFiles, version: string): void {
  files.put(KUBELET_BINARY, kubeletBinary(version), { mode: 0o755 })
  files.put(KUBELET_CONFIG, KUBEADM_CONFIG)
  files.put(KUBEADM_FLAGS, `KUBELET_KUBEADM_ARGS="--container-runtime-endpoint=${RUNTIME_ENDPOINT}"\n`)
  files.put(EXTRA_ARGS_FILES.deb, 'KUBELET_EXTRA_ARGS=\n')
  files.put(KUBEADM_DROP_INS[1], DROP_IN)
  files.put('/etc/passwd', 'root:x:0:0:root:/root:/bin/bash\nkube:x:992:991::/:/sbin/nologin\n')
  files.put('/etc/group', 'root:x:0:\nkube:x:991:\n')
}

const KUBEADM_CONFIG = `apiVersion: kubelet.config.k8s.io/v1beta1
authentication:
  anonymous:
    enabled: false
  webhook:
    enabled: true
  x509:
    clientCAFile: /etc/kubernetes/pki/ca.crt
authorization:
  mode: Webhook
cgroupDriver: systemd
clusterDNS:
- 10.96.0.10
clusterDomain: cluster.local
kind: KubeletConfiguration
rotateCertificates: true
staticPodPath: /etc/kubernetes/manifests
`

const DROP_IN = `[Service]
Environment="KUBELET_CONFIG_ARGS=--config=/var/lib/kubelet/config.yaml"
EnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env
EnvironmentFile=-/etc/default/kubelet
ExecStart=
ExecStart=/usr/bin/kubelet $KUBELET_KUBECONFIG_ARGS $KUBELET_CONFIG_ARGS $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS
`

/** As a CoreOS machine has it: a file with more in it than is ours. */
export function seedEnv(
  files: MemoryFiles,
  { environmentFile, version }: { readonly environmentFile: string; readonly version: string },
): void {
  const text = `# written by the installer\nKUBELET_VERSION=v${version.replaceAll('+', '_')}\nKUBELET_OPTS=--kubeconfig=/etc/kubernetes/kubeconfig --config=/etc/kubernetes/manifests\nKUBELET_ACI=quay.io/coreos/hyperkube\n`
  files.put(environmentFile, text)
}

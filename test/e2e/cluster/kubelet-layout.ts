/** How a kubelet is installed: as kubeadm and its packages do it, as on CoreOS by an environment file, or not at all. */
import type { LayerFile } from '../build/layers.ts'
import type { RpmManager } from '../build/rpm-root.ts'
import { kubeletConfig } from './kubelet-config.ts'

export type KubeletLayout = 'kubeadm' | 'env' | 'bare'

export interface LayoutOptions {
  readonly layout: KubeletLayout
  readonly version: string
  readonly address: string
  /** A package brings the kubelet, its unit and its defaults. */
  readonly packaged: boolean | RpmManager
  /** Where binaries are served, as at dl.k8s.io. */
  readonly downloads: string
}

/** Where the node's first kubelet is. */
export function kubeletPath({ layout, version }: Pick<LayoutOptions, 'layout' | 'version'>): string {
  return layout === 'kubeadm' ? '/usr/bin/kubelet' : `/opt/kubelet/${version}/kubelet`
}

/** Below /var/lib/kubelet, which is a directory of its own and no part of the node's overlay. */
export function kubeletStateFiles({ layout, address }: LayoutOptions): LayerFile[] {
  const config = { path: '/config.yaml', content: kubeletConfig(), mode: 0o644 }
  const flags = { path: '/kubeadm-flags.env', content: `KUBELET_KUBEADM_ARGS="--node-ip=${address}"\n` }
  return layout === 'kubeadm' ? [config, flags] : [config]
}

export function kubeletUnitFiles(options: LayoutOptions): LayerFile[] {
  if (options.layout === 'env') return envFiles(options)
  if (typeof options.packaged === 'string')
    return [{ ...kubeadmDropInFile, content: kubeadmDropIn.replace('/etc/default/', '/etc/sysconfig/') }]
  return options.packaged ? [kubeadmDropInFile] : [kubeadmDropInFile, ...packageFiles]
}

/** Word for word as in the packages of pkgs.k8s.io. */
export const kubeletUnit = `[Unit]
Description=kubelet: The Kubernetes Node Agent
Documentation=https://kubernetes.io/docs/
Wants=network-online.target
After=network-online.target

[Service]
ExecStart=/usr/bin/kubelet
Restart=always
StartLimitInterval=0
RestartSec=10

[Install]
WantedBy=multi-user.target
`

const kubeadmDropIn = `# Note: This dropin only works with kubeadm and kubelet v1.11+
[Service]
Environment="KUBELET_KUBECONFIG_ARGS=--bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf --kubeconfig=/etc/kubernetes/kubelet.conf"
Environment="KUBELET_CONFIG_ARGS=--config=/var/lib/kubelet/config.yaml"
# This is a file that "kubeadm init" and "kubeadm join" generates at runtime, populating the KUBELET_KUBEADM_ARGS variable dynamically
EnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env
# This is a file that the user can use for overrides of the kubelet args as a last resort. Preferably, the user should use
# the .NodeRegistration.KubeletExtraArgs object in the configuration files instead. KUBELET_EXTRA_ARGS should be sourced from this file.
EnvironmentFile=-/etc/default/kubelet
ExecStart=
ExecStart=/usr/bin/kubelet $KUBELET_KUBECONFIG_ARGS $KUBELET_CONFIG_ARGS $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS
`

const kubeadmDropInFile: LayerFile = {
  path: '/usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf',
  content: kubeadmDropIn,
}

const packageFiles: LayerFile[] = [
  { path: '/usr/lib/systemd/system/kubelet.service', content: kubeletUnit },
  { path: '/etc/default/kubelet', content: 'KUBELET_EXTRA_ARGS=\n' },
]

function envFiles({ version, address, downloads }: LayoutOptions): LayerFile[] {
  const env = [`KUBELET_VERSION=${version}`, 'KUBELET_OPTS=', `KUBELET_DOWNLOADS=${downloads}`]
  return [
    { path: '/etc/kubernetes/kubelet.env', content: `${env.join('\n')}\n` },
    { path: '/opt/bin/kubelet-wrapper', content: wrapper, mode: 0o755 },
    { path: '/etc/systemd/system/kubelet.service', content: envUnit(address) },
  ]
}

/** Like CoreOS' own wrapper: gets the version that the environment names when it is not there yet, and becomes it. */
const wrapper = `#!/bin/sh
set -eu
dir=/opt/kubelet/\${KUBELET_VERSION#v}
url=$KUBELET_DOWNLOADS/release/v\${KUBELET_VERSION#v}/bin/linux/amd64/kubelet
if [ ! -x "$dir/kubelet" ]; then
  mkdir -p "$dir"
  curl -fsS -o "$dir/partial" "$url"
  echo "$(curl -fsS "$url.sha256")  $dir/partial" | sha256sum -c --quiet
  chmod 0755 "$dir/partial"
  mv "$dir/partial" "$dir/kubelet"
fi
exec "$dir/kubelet" "$@"
`

function envUnit(address: string): string {
  const fixed = `--kubeconfig=/etc/kubernetes/kubelet.conf --config=/var/lib/kubelet/config.yaml --node-ip=${address}`
  return `[Unit]
Description=Kubernetes kubelet
Wants=network-online.target
After=network-online.target
[Service]
EnvironmentFile=/etc/kubernetes/kubelet.env
ExecStart=/opt/bin/kubelet-wrapper ${fixed} $KUBELET_OPTS
Restart=always
StartLimitInterval=0
RestartSec=10
[Install]
WantedBy=multi-user.target
`
}

/** containerd and the network of its pods, as files of a node. */
import { PAUSE_IMAGE } from '../build/images.ts'
import type { LayerFile } from '../build/layers.ts'

/** For a node whose pods have the addresses of a /24. */
export function runtimeFiles(pods: string): LayerFile[] {
  return [
    { path: '/etc/systemd/system/containerd.service', content: containerdUnit },
    { path: '/etc/containerd/config.toml', content: containerdConfig },
    { path: '/etc/cni/net.d/10-bridge.conflist', content: cniConfig(pods) },
  ]
}

const containerdUnit = `[Unit]
Description=containerd container runtime
After=network.target dbus.service
[Service]
ExecStart=/usr/local/bin/containerd
Type=notify
Delegate=yes
KillMode=process
Restart=always
RestartSec=5
LimitNPROC=infinity
LimitCORE=infinity
TasksMax=infinity
OOMScoreAdjust=-999
[Install]
WantedBy=multi-user.target
`

/** restrict_oom_score_adj: a machine may withhold the right to lower the score, also from root. */
const containerdConfig = `version = 4
[plugins.'io.containerd.cri.v1.images'.pinned_images]
  sandbox = '${PAUSE_IMAGE}'
[plugins.'io.containerd.cri.v1.runtime']
  restrict_oom_score_adj = true
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
  runtime_type = 'io.containerd.runc.v2'
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
  SystemdCgroup = true
`

function cniConfig(pods: string): string {
  const ranges = [[{ subnet: pods }]]
  const bridge = { type: 'bridge', bridge: 'cni0', isGateway: true, ipMasq: true, hairpinMode: true }
  const ipam = { type: 'host-local', ranges, routes: [{ dst: '0.0.0.0/0' }] }
  const plugins = [
    { ...bridge, ipam },
    { type: 'portmap', capabilities: { portMappings: true } },
  ]
  return `${JSON.stringify({ cniVersion: '1.0.0', name: 'e2e', plugins }, null, 2)}\n`
}

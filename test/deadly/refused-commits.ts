/** Commits that would take a cluster down, and that `nodewave validate` refuses: they reach no node. */
export interface RefusedCommit {
  readonly name: string
  /** Spec of a document of this kind. */
  readonly kind: 'KubeletConfig' | 'FlagSet' | 'HostProfile' | 'NodePool'
  readonly spec: string
  /** Part of what it says. */
  readonly cause: string
}

export const REFUSED_COMMITS: readonly RefusedCommit[] = [
  {
    name: '`flags: {hostname-override: wrong-name}`',
    kind: 'FlagSet',
    spec: '{flags: {hostname-override: wrong-name}}',
    cause: 'report to another Node',
  },
  { name: 'one `node-ip` for many nodes', kind: 'FlagSet', spec: '{flags: {node-ip: 10.0.0.4}}', cause: 'every node' },
  { name: 'one `provider-id` for many nodes', kind: 'FlagSet', spec: '{flags: {provider-id: aws:///x}}', cause: 'every node' },
  {
    name: '`registerNode: false`',
    kind: 'KubeletConfig',
    spec: '{config: {registerNode: false}}',
    cause: 'could not join again',
  },
  {
    name: '`nodeLeaseDurationSeconds: 400`, which blinds the API server',
    kind: 'KubeletConfig',
    spec: '{config: {nodeLeaseDurationSeconds: 400}}',
    cause: 'renews the lease every 100 s',
  },
  {
    name: '`nodeStatusUpdateFrequency: 1h30m`, which blinds the API server',
    kind: 'KubeletConfig',
    spec: '{config: {nodeStatusUpdateFrequency: 1h30m}}',
    cause: 'shows a condition such as Ready that is not true',
  },
  {
    name: '`featureGates: {NodeSwap: false}` on kubelet 1.36, where it is locked',
    kind: 'NodePool',
    spec: '{nodeSelector: {matchLabels: {}}, kubelet: {version: 1.36.3, flags: {feature-gates: "NodeSwap=false"}}}',
    cause: 'is locked to true',
  },
  {
    name: '`imageGCLowThresholdPercent` above `imageGCHighThresholdPercent`',
    kind: 'NodePool',
    spec: '{nodeSelector: {matchLabels: {}}, kubelet: {flags: {image-gc-low-threshold: 90, image-gc-high-threshold: 80}}}',
    cause: 'imageGCLowThresholdPercent must be below',
  },
  {
    name: '`maxPods: -5`, or any other number or word that the kubelet does not take',
    kind: 'KubeletConfig',
    spec: '{config: {maxPods: -5}}',
    cause: 'a whole number from 0',
  },
  {
    name: 'a feature gate that no kubelet has: it panics',
    kind: 'KubeletConfig',
    spec: '{config: {featureGates: {NoSuchGate: true}}}',
    cause: 'NoSuchGate',
  },
  { name: 'a flag that no kubelet has', kind: 'FlagSet', spec: '{flags: {no-such-flag: 1}}', cause: 'no-such-flag' },
  {
    name: "a plain file over the kubelet's configuration",
    kind: 'HostProfile',
    spec: '{files: [{path: /var/lib/kubelet/config.yaml, content: x}]}',
    cause: "it is the kubelet's configuration",
  },
  {
    name: "a plain file over the kubelet's credential",
    kind: 'HostProfile',
    spec: '{files: [{path: /etc/kubernetes/kubelet.conf, content: x}]}',
    cause: "it is the kubelet's own credential",
  },
  {
    name: 'a plain drop-in of `kubelet.service`',
    kind: 'HostProfile',
    spec: '{files: [{path: /etc/systemd/system/kubelet.service.d/20-x.conf, content: x}]}',
    cause: 'it belongs to kubelet.service',
  },
  {
    name: "containerd's configuration, where no unit restarts on it",
    kind: 'HostProfile',
    spec: '{files: [{path: /etc/containerd/config.toml, content: x}]}',
    cause: 'reads it only when it starts',
  },
  {
    name: '`sysctls: {net.ipv4.ip_forward: 0}`, which stops forwarding',
    kind: 'HostProfile',
    spec: '{sysctls: {net.ipv4.ip_forward: 0}}',
    cause: 'reach nobody beyond it',
  },
  {
    name: '`sysctls: {fs.inotify.max_user_instances: 8}`, with which no kubelet starts again',
    kind: 'HostProfile',
    spec: '{sysctls: {fs.inotify.max_user_instances: 8}}',
    cause: 'fail when they start next',
  },
  {
    name: 'a file with a sysctl that stops forwarding, where a unit applies it',
    kind: 'HostProfile',
    spec: '{files: [{path: /etc/sysctl.d/90-x.conf, content: net.ipv4.ip_forward=0}], units: [{name: systemd-sysctl.service, restartOn: [/etc/sysctl.d/90-x.conf]}]}',
    cause: 'pods of the node would reach nobody beyond it',
  },
  {
    name: 'a file with a sysctl that stops forwarding, where no unit applies it',
    kind: 'HostProfile',
    spec: '{files: [{path: /etc/sysctl.d/90-x.conf, content: net.ipv4.ip_forward=0}]}',
    cause: 'reads it only when it starts',
  },
]

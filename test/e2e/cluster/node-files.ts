/** The files that make the Debian base a node: its name, its network, what a kubelet expects of a machine. */
import type { LayerFile } from '../build/layers.ts'
import { SERVICE_RANGE } from './arguments.ts'
import type { Slot } from './slot.ts'

export interface NodePlace {
  readonly name: string
  readonly address: string
  /** Addresses of its pods, a /24. */
  readonly pods: string
}

export function nodePlace(slot: Slot, index: number): NodePlace {
  return { name: `n${index}`, address: `${slot.network}.${10 + index}`, pods: `10.244.${index}.0/24` }
}

export function nodeFiles(slot: Slot, place: NodePlace, all: readonly NodePlace[]): LayerFile[] {
  const hosts = all.map(({ name, address }) => `${address} ${name}`)
  return [
    { path: '/etc/hostname', content: `${place.name}\n` },
    { path: '/etc/hosts', content: `127.0.0.1 localhost\n${hosts.join('\n')}\n` },
    { path: '/etc/resolv.conf', content: 'search .\n' },
    { path: '/etc/systemd/network/10-host0.network', content: network(slot, place, all) },
    // A container that ignores SIGTERM would hold every shutdown for a minute and a half.
    { path: '/etc/systemd/system.conf.d/e2e.conf', content: '[Manager]\nDefaultTimeoutStopSec=5s\n' },
    { path: '/usr/local/lib/node-setup', content: setupScript, mode: 0o755 },
    { path: '/etc/systemd/system/node-setup.service', content: setupUnit },
  ]
}

/** Other nodes' pods by the others' addresses: pods reach each other across nodes without any plugin for it. */
function network(slot: Slot, place: NodePlace, all: readonly NodePlace[]): string {
  const routes = [
    ...all.filter(({ name }) => name !== place.name).map(({ pods, address }) => ({ to: pods, by: address })),
    { to: SERVICE_RANGE, by: slot.host }, // a destination needs a route before kube-proxy's rules can change it
  ]
  return [
    '[Match]\nName=host0\n',
    `[Network]\nAddress=${place.address}/24\nLinkLocalAddressing=no\nIPv6AcceptRA=no\nLLDP=no\n`,
    ...routes.map(({ to, by }) => `[Route]\nDestination=${to}\nGateway=${by}\n`),
  ].join('\n')
}

/**
 * Before anything else starts in the node: its cgroups become writable, its mounts shared, and the sysctls that a kubelet insists
 * on become private files, so that it is content and the machine keeps its own values.
 */
const setupScript = `#!/bin/sh
set -eu
for hierarchy in /sys/fs/cgroup /sys/fs/cgroup/*; do
  if mountpoint -q "$hierarchy"; then mount -o remount,bind,rw "$hierarchy"; fi
done
mount --make-rshared /
mkdir -p /run/private-sysctl
while read -r key value; do
  file=/run/private-sysctl/$(echo "$key" | tr / .)
  echo "$value" > "$file"
  mount --bind "$file" "/proc/sys/$key"
done <<END
vm/overcommit_memory 1
vm/panic_on_oom 0
kernel/panic 10
kernel/panic_on_oops 1
kernel/keys/root_maxkeys 1000000
kernel/keys/root_maxbytes 25000000
END
echo 1 > /proc/sys/net/ipv4/ip_forward
`

const setupUnit = `[Unit]
Description=Make this container fit for a kubelet
DefaultDependencies=no
Before=sysinit.target systemd-sysctl.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/lib/node-setup
[Install]
WantedBy=sysinit.target
`

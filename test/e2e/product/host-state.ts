/** All that nodewave may change on a host, as lines that can be compared: files, packages, settings of the kernel, units. */
import type { Node } from '../cluster/node.ts'

/**
 * Left out, for it changes by itself or remembers only what was done: logs, caches (/var/cache, /var/lib/apt/lists), the text of dpkg's
 * status and its order, what the agent keeps in /var/lib/nodewave, the agent's own program, and interfaces, counters and slices of pods:
 * the kubelet removes the slice of a pod (of the agent's health check, too) some seconds after the pod.
 */
const SCRIPT = `
set -eu
files() { find /etc /usr /opt /root /boot /var/lib/kubelet/config.yaml /var/lib/kubelet/kubeadm-flags.env /var/lib/dpkg/info /var/lib/dpkg/alternatives \\
  -xdev -path /opt/nodewave -prune -o "$@"; }
files -printf 'file %p %y %m %U:%G %l\\n'
files -type f -print0 | xargs -0 sha256sum | sed 's/^\\([0-9a-f]*\\)  /content \\1 /'
dpkg-query -W -f='package \${Package} \${Version} \${Status}\\n'
apt-mark showhold | sed 's/^/held /'
apt-mark showauto | sed 's/^/automatic /'
sysctl -a 2>/dev/null | grep '^net\\.' | grep -v -e '\\.veth' -e nf_conntrack_count -e nf_conntrack_max | sed 's/^/sysctl /'
systemctl list-unit-files --no-legend --plain | grep -v '^kubepods-.*pod.*\\.slice' | sed 's/^/unit-file /'
systemctl is-active containerd kubelet nodewave-agent | sed 's/^/active /'
`

export async function hostState(node: Node): Promise<readonly string[]> {
  return (await node.output(['sh', '-c', SCRIPT])).split('\n').toSorted()
}

/** Lines that only one of them has. */
export function differences(before: readonly string[], after: readonly string[]): string[] {
  const [had, has] = [new Set(before), new Set(after)]
  const gone = before.filter((line) => !has.has(line)).map((line) => `- ${line}`)
  return [...gone, ...after.filter((line) => !had.has(line)).map((line) => `+ ${line}`)]
}

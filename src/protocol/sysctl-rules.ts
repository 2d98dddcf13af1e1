import { sysctlPath } from './sysctl-name.ts'

export interface SysctlRefusal {
  readonly because: string
  readonly remedy: string
}

const FORWARDING = ['net/ipv4/ip_forward', 'net/ipv4/conf/all/forwarding']

/** By path below /proc/sys: nobody could take such a change back, or every node would be harmed by it. */
const REFUSED: readonly { readonly path: string; readonly when?: RegExp; readonly because: string; readonly remedy: string }[] = [
  ...[...FORWARDING, 'net/ipv6/conf/all/forwarding'].map((path) => ({
    path,
    when: /^0$/,
    because: 'pods of the node would reach nobody beyond it',
    remedy: 'take it out; hardening guides mean hosts that run no pods',
  })),
  ...['kernel/modules_disabled', 'kernel/kexec_load_disabled'].map((path) => oneWay(path, /^1$/)),
  oneWay('kernel/unprivileged_bpf_disabled', /^1$/, 'write 2, which can be taken back'),
  oneWay('kernel/yama/ptrace_scope', /^3$/, 'write 2, which can be taken back'),
  ...['vm/drop_caches', 'vm/compact_memory', 'net/ipv4/route/flush', 'net/ipv6/route/flush'].map((path) => ({
    path,
    because: 'it starts something once, and is no setting',
    remedy: 'take it out',
  })),
  ...['kernel/hostname', 'kernel/domainname'].map((path) => ({
    path,
    because: 'every node would have the same name',
    remedy: 'take it out',
  })),
]

/**
 * What runs goes on below these: kubelet, runtime and the pods of the system fail when they start next, on every node at once. Most are the
 * kernel's own defaults.
 */
const LEAST: ReadonlyMap<string, number> = new Map([
  ['fs/file-max', 65_536],
  ['fs/inotify/max_user_instances', 128],
  ['fs/inotify/max_user_watches', 8192],
  ['fs/nr_open', 65_536],
  ['kernel/pid_max', 32_768],
  ['kernel/threads-max', 8192],
  ['net/netfilter/nf_conntrack_max', 16_384],
])

/** First and last: each connection that a node opens takes one. */
const PORT_RANGE = 'net/ipv4/ip_local_port_range'
const LEAST_PORTS = 1024

/** Of interfaces that are there: the default is for those to come, and the kernel gives lo its address again. */
const DISABLES_IPV6 = /^net\/ipv6\/conf\/(?!default\/|lo\/)[^/]+\/disable_ipv6$/
const LOSES_ADDRESSES: SysctlRefusal = {
  because: 'the kernel drops the IPv6 addresses of interfaces, and an undo does not bring them back',
  remedy: 'write it under kernelArguments, as "ipv6.disable_ipv6=1", which a boot can take back',
}

/** The kubelet sets these when it starts, or does not start: `setupKernelTunables` in pkg/kubelet/cm/container_manager_linux.go. */
const OF_THE_KUBELET: ReadonlyMap<string, string> = new Map([
  ['vm/overcommit_memory', '1'],
  ['vm/panic_on_oom', '0'],
  ['kernel/panic', '10'],
  ['kernel/panic_on_oops', '1'],
  ['kernel/keys/root_maxkeys', '1000000'],
  ['kernel/keys/root_maxbytes', '25000000'],
])

/** Of each pair the kernel keeps one, and sets the other one to zero: mm/page-writeback.c, mm/util.c. */
const PAIRS = [
  ['vm/dirty_bytes', 'vm/dirty_ratio'],
  ['vm/dirty_background_bytes', 'vm/dirty_background_ratio'],
  ['vm/overcommit_kbytes', 'vm/overcommit_ratio'],
] as const

const OF_IPV4_FORWARDING = ['net/ipv4/conf/all/accept_redirects', 'net/ipv4/conf/default/forwarding']

/** What the kernel sets along with a setting: `inet_forward_change` in net/ipv4/devinet.c, `addrconf_forward_change` in net/ipv6/addrconf.c. */
const ALONG: ReadonlyMap<string, readonly string[]> = new Map([
  ['net/ipv4/ip_forward', OF_IPV4_FORWARDING],
  ['net/ipv4/conf/all/forwarding', OF_IPV4_FORWARDING],
  ['net/ipv6/conf/all/forwarding', ['net/ipv6/conf/default/forwarding']],
  ...PAIRS.flatMap(([one, other]): [string, readonly string[]][] => [
    [one, [other]],
    [other, [one]],
  ]),
])

/**
 * A line of sysctl.d(5); a dash in front says that a failure is ignored. Each part of the pattern begins with what the one before cannot
 * end with, so that a long line costs its length.
 */
export function sysctlLine(line: string): (readonly [name: string, value: string])[] {
  const [, name, value] = /^\s*(?:-\s*)?([^-#;=\s][^=\s]*)\s*=(.*)$/.exec(line) ?? []
  return name === undefined || value === undefined ? [] : [[name, value]]
}

/** Names of the settings that change with this one. */
export function sysctlsAlong(name: string): readonly string[] {
  return ALONG.get(sysctlPath(name)) ?? []
}

/** Pure: why a setting is never applied; undefined when it may be. */
export function sysctlRefusal(name: string, value: string): SysctlRefusal | undefined {
  const path = sysctlPath(name)
  const words = sysctlWords(value)
  const wanted = OF_THE_KUBELET.get(path)
  if (wanted !== undefined && wanted !== words)
    return {
      because: `the kubelet sets it to ${wanted} when it starts, and with protectKernelDefaults does not start`,
      remedy: `write ${wanted}, or take it out`,
    }
  return REFUSED.find((rule) => rule.path === path && (rule.when?.test(words) ?? true)) ?? tooLittle(path, words)
}

function tooLittle(path: string, words: string): SysctlRefusal | undefined {
  const [first = Number.NaN, last = first] = words.split(' ').map(Number)
  const because = 'kubelet, runtime and pods of a node need more, and fail when they start next'
  if (path === PORT_RANGE && last - first < LEAST_PORTS) return { because, remedy: `leave ${LEAST_PORTS} ports or more` }
  const least = LEAST.get(path)
  return least !== undefined && first < least ? { because, remedy: `write ${least} or more, or take it out` } : undefined
}

/** Why a setting does not belong into a commit: an undo is not exact. A host that has it already is not hurt by it. */
export function sysctlLoss(name: string, value: string): SysctlRefusal | undefined {
  return DISABLES_IPV6.test(sysctlPath(name)) && sysctlWords(value) !== '0' ? LOSES_ADDRESSES : undefined
}

/** The setting that the kernel sets to zero when this one is set. */
export function sysctlExcludedBy(name: string): string | undefined {
  const path = sysctlPath(name)
  const pair = PAIRS.find((each) => each.some((member) => member === path))
  return pair?.find((member) => member !== path)
}

/** The same for files that others may have written: those of hardening guides turn off what some clusters do not use, such as IPv6. */
export function stopsForwarding(name: string, value: string): SysctlRefusal | undefined {
  return FORWARDING.includes(sysctlPath(name)) ? sysctlRefusal(name, value) : undefined
}

/** Several values of one setting, in whatever way they are kept apart. */
export function sysctlWords(value: string): string {
  return value.trim().replace(/\s+/g, ' ')
}

function oneWay(path: string, when: RegExp, remedy = 'write it into an image of the host, or into its kernel arguments') {
  return { path, when, because: 'the kernel takes it back only with a boot, so a change that fails could not be undone', remedy }
}

import { expect, test } from 'vitest'
import { aDocument, problemsOf } from '../fleets.ts'

const profile = (sysctls: string) => problemsOf({ 'h.yaml': aDocument('HostProfile', 'h', `spec: {sysctls: {${sysctls}}}\n`) })

test('sysctls with whole names and one value each are part of a profile', () => {
  expect(profile('net.ipv4.tcp_rmem: 4096 131072 6291456, vm.swappiness: 10, net.ipv4.conf.eth0/100.forwarding: 1')).toEqual([])
})

test.each([
  [
    'a pattern',
    'net.ipv4.conf.*.rp_filter: 1',
    'expected the whole name of a sysctl such as "net.ipv4.ip_forward"; patterns are not expanded',
  ],
  ['no whole name', 'swappiness: 1', 'expected the whole name of a sysctl'],
  ['two lines', 'vm.swappiness: "1\\n2"', 'expected one line with a value in it'],
  ['nothing', 'vm.swappiness: ""', 'expected one line with a value in it'],
  ['a truth', 'vm.swappiness: true', 'unquoted, true is a boolean'],
])('a sysctl with %s is refused', (_, text, message) => {
  expect(profile(text)).toHaveLength(1)
  expect(profile(text)[0]).toContain(message)
})

test.each([
  ['empty lines', '\\n'.repeat(100_000)],
  ['spaces', ' '.repeat(100_000)],
])('a file of sysctls costs no more than its length: %s', (_, text) => {
  const path = '/etc/sysctl.d/90-mine.conf'
  const units = `units: [{name: systemd-sysctl.service, restartOn: [${path}]}]`
  const spec = `spec: {files: [{path: ${path}, content: "${text}x"}], ${units}}\n`
  expect(problemsOf({ 'h.yaml': aDocument('HostProfile', 'h', spec) })).toEqual([])
})

test.each(['net.ipv6.conf.all.disable_ipv6', 'net.ipv6.conf.eth0/100.disable_ipv6'])(
  'a sysctl that drops addresses is refused, with the kernel argument: %s',
  (name) => {
    expect(profile(`${name}: 1`)[0]).toContain('as "ipv6.disable_ipv6=1", which a boot can take back')
    expect(profile(`${name}: 0`)).toEqual([])
  },
)

test.each(['net.ipv6.conf.default.disable_ipv6', 'net.ipv6.conf.lo.disable_ipv6'])(
  'a sysctl that drops no address of an interface for good is taken: %s',
  (name) => {
    expect(profile(`${name}: 1`)).toEqual([])
  },
)

test('a sysctl by which nodes would be lost is refused, with what to do', () => {
  expect(profile('net.ipv4.ip_forward: 0')).toEqual([
    `h.yaml:4:39  spec: {sysctls: {net.ipv4.ip_forward: 0}}
                                                   ^
  sysctl "net.ipv4.ip_forward": pods of the node would reach nobody beyond it
  take it out; hardening guides mean hosts that run no pods`,
  ])
  expect(profile('net.ipv4.ip_forward: 1')).toEqual([])
})

test.each([
  ['kernel.panic: 0', 'the kubelet sets it to 10 when it starts, and with protectKernelDefaults does not start'],
  ['vm/overcommit_memory: 2', 'the kubelet sets it to 1 when it starts'],
  ['net.ipv6.conf.all.forwarding: 0', 'pods of the node would reach nobody'],
  ['kernel.kexec_load_disabled: 1', 'takes it back only with a boot'],
  ['kernel.yama.ptrace_scope: 3', 'write 2, which can be taken back'],
  ['vm.drop_caches: 3', 'it starts something once'],
  ['kernel.hostname: n1', 'every node would have the same name'],
  ['fs.inotify.max_user_instances: 127', 'write 128 or more, or take it out'],
  ['kernel.pid_max: 4096', 'fail when they start next'],
  ['net.netfilter.nf_conntrack_max: 1024', 'fail when they start next'],
  ['net.ipv4.ip_local_port_range: 60000 60999', 'leave 1024 ports or more'],
  ['net.ipv4.ip_local_port_range: 60000', 'leave 1024 ports or more'],
])('sysctl "%s" is refused', (text, message) => {
  expect(profile(text)[0]).toContain(message)
})

test.each(['fs.inotify.max_user_instances: 128', 'kernel.pid_max: 4194304', 'net.ipv4.ip_local_port_range: 32768 60999'])(
  'a sysctl that leaves enough is taken: %s',
  (text) => {
    expect(profile(text)).toEqual([])
  },
)

test('one sysctl under two names, or in two profiles of a pool, is a conflict', () => {
  expect(profile('vm.swappiness: 1, vm/swappiness: 2')[0]).toContain('sysctl /proc/sys/vm/swappiness is defined twice')
  const found = problemsOf({
    'a.yaml': aDocument('HostProfile', 'a', 'spec: {sysctls: {vm.swappiness: 1}}\n'),
    'b.yaml': aDocument('HostProfile', 'b', 'spec: {sysctls: {vm.swappiness: 2}}\n'),
    'p.yaml': aDocument('NodePool', 'p', 'spec: {nodeSelector: {matchLabels: {a: b}}, hostProfiles: [a, b]}\n'),
  })
  expect(found[0]).toContain('profiles "a" and "b" both claim sysctl /proc/sys/vm/swappiness')
})

const file = (path: string, content: string) =>
  problemsOf({
    'h.yaml': aDocument(
      'HostProfile',
      'h',
      `spec: {files: [${JSON.stringify({ path, content })}], units: [{name: systemd-sysctl.service, restartOn: [${path}]}]}\n`,
    ),
  })

test.each([
  'net.ipv4.ip_forward=0\n',
  '# hardening\n- net/ipv4/ip_forward = 0',
  'vm.swappiness=10\n  net.ipv4.conf.all.forwarding = 0\n',
])('a file of sysctl.d that stops forwarding is refused: %j', (content) => {
  const problems = file('/etc/sysctl.d/90-x.conf', content)

  expect(problems).toHaveLength(1)
  expect(problems[0]).toContain('pods of the node would reach nobody beyond it')
})

test('a file of sysctl.d with other settings, and another file, are not refused', () => {
  const others = '#net.ipv4.ip_forward=0\nnet.ipv4.ip_forward=1\nnet.ipv6.conf.all.forwarding=0\nkernel.panic=60\n'

  expect(file('/etc/sysctl.d/90-x.conf', others)).toEqual([])
  expect(file('/etc/motd', 'net.ipv4.ip_forward=0\n')).toEqual([])
})

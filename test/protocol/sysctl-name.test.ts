import { expect, test } from 'vitest'
import { SYSCTL_NAME, sysctlPath } from '../../src/protocol/sysctl-name.ts'

test.each([
  ['net.ipv4.ip_forward', 'net/ipv4/ip_forward'],
  ['net/ipv4/ip_forward', 'net/ipv4/ip_forward'],
  ['net.ipv4.conf.eth0/100.forwarding', 'net/ipv4/conf/eth0.100/forwarding'],
  ['net/ipv4/conf/eth0.100/forwarding', 'net/ipv4/conf/eth0.100/forwarding'],
])('sysctlPath gives the path that sysctl.d has for %s', (name, path) => {
  expect(SYSCTL_NAME.test(name)).toBe(true)
  expect(sysctlPath(name)).toBe(path)
})

test.each(['net', 'net..ipv4', '../etc', 'net.ipv4.', 'net.ipv4.conf.*.rp_filter', '/proc/sys/net', 'a.b\n', '-net.ipv4.a'])(
  'SYSCTL_NAME does not take %j',
  (name) => {
    expect(SYSCTL_NAME.test(name)).toBe(false)
  },
)

import { expect, test } from 'vitest'
import { HOST_POLICY } from '../../../src/agent/paths.ts'
import { parseHostPolicy, violationIn } from '../../../src/agent/policy/host-policy.ts'
import type { NodeContent } from '../../../src/protocol/digest.ts'
import { Machine } from '../support/machine.ts'

const FILE = { path: '/etc/kubernetes/extra.conf', content: 'x\n' }
const SOURCES = '/etc/apt/sources.list.d/nodewave-r.sources'
const REPOSITORY = { name: 'r', apt: { url: 'https://r.test/', suite: '/', key: '-----BEGIN PGP PUBLIC KEY BLOCK-----' } }
const host = (document: object) => JSON.stringify(document)

async function under(policy: string, { mode = 0o644, uid = 0 } = {}) {
  const machine = new Machine()
  await machine.host.files.writeAtomic(HOST_POLICY, Buffer.from(policy), { mode, uid, gid: 0 })
  machine.start()
  await machine.clock.advance(5000)
  const before = machine.hostFiles()
  return { machine, untouched: () => expect(machine.hostFiles()).toEqual(before) }
}

test.for<[string, string, NodeContent, string]>([
  ['kinds', 'kinds: [files]', { host: host({ units: [{ name: 'a.service' }] }) }, 'section "units" is not allowed'],
  [
    'paths',
    'paths: [/etc/kubernetes]',
    { host: host({ files: [FILE, { path: '/etc/kubernetes2/a' }] }) },
    'path "/etc/kubernetes2/a" is not allowed',
  ],
  [
    'paths',
    'paths: [/etc/kubernetes, /etc/sysctl.d, /proc/sys/net]',
    { host: host({ sysctls: { 'net.core.somaxconn': '4096', 'kernel.core_pattern': '|/tmp/x' } }) },
    'path "/proc/sys/kernel/core_pattern" is not allowed',
  ],
  ['paths', 'paths: []', { host: host({ files: [FILE] }) }, 'path "/etc/kubernetes/extra.conf" is not allowed'],
  ['paths', 'paths: [/etc/kubernetes]', { host: host({ repositories: [REPOSITORY] }) }, `path "${SOURCES}" is not allowed`],
  [
    'paths',
    'paths: [/etc/ssh]',
    { host: host({ users: [{ name: 'a', groups: ['sudo'] }] }) },
    'path "/etc/passwd" is not allowed',
  ],
  ['paths', 'paths: [/etc/ssh]', { host: host({ groups: [{ name: 'a' }] }) }, 'path "/etc/group" is not allowed'],
  [
    'paths',
    'paths: [/etc/passwd, /etc/group]',
    { host: host({ users: [{ name: 'a', sshKeys: ['ssh-ed25519 A'] }] }) },
    'path "/etc/ssh/authorized_keys.d/a" is not allowed',
  ],
  ['packages', 'paths: [/etc/kubernetes]', { host: host({ packages: [{ name: 'a' }] }) }, 'package "a" is not allowed'],
  [
    'packages',
    'packages: ["lib*"]',
    { host: host({ packages: [{ name: 'libc6' }, { name: 'a' }] }) },
    'package "a" is not allowed',
  ],
  [
    'packages',
    'packages: ["lib*"]',
    { host: host({ kubelet: { package: { manager: 'apt', name: 'kubelet', version: '1' } } }) },
    'package "kubelet" is not allowed',
  ],
  ['units', 'units: ["my-*.service"]', { host: host({ units: [{ name: 'ssh.service' }] }) }, 'unit "ssh.service" is not allowed'],
  ['kubeletVersions', 'kubeletVersions: {max: "1.35"}', { version: '1.36.3' }, 'version "1.36.3" is not allowed'],
  ['kubeletVersions', 'kubeletVersions: {min: "1.35.2"}', { version: 'v1.35.1' }, 'version "v1.35.1" is not allowed'],
  ['disruption', 'disruption: none', { flags: '--v=4' }, 'the change needs "restart", and at most "none" is allowed'],
])('the agent refuses what the rule "%s" of the host forbids, and touches nothing', async ([rule, policy, content, message]) => {
  const { machine, untouched } = await under(policy)
  machine.assign(content, { GRANT: 'reboot' })

  expect((await machine.until('RolledBack')).error).toEqual({
    reason: 'HostPolicy',
    message: `failed to validate config: host policy "/etc/nodewave/policy.yaml", rule "${rule}": ${message}`,
  })
  untouched()
})

test('the agent refuses a kubelet from a host that the policy does not name', async () => {
  const { machine, untouched } = await under('urlHosts: [dl.k8s.io, "*.example.com"]')
  machine.assign({ version: '1.36.3', host: host({ kubelet: machine.release('1.36.3') }) })

  const { error } = await machine.until('RolledBack')
  expect(error?.message).toContain('rule "urlHosts": address "https://releases.test/v1.36.3/kubelet" is not allowed')
  untouched()
})

test('a policy allows what any of its patterns allows, and exactly the versions at its limits', () => {
  const units = (name: string) => ({ version: undefined, document: { units: [{ name }] } })
  const policy = { units: ['ssh.service', 'my-*.service'], kubeletVersions: { min: '1.35.2', max: '1.36.3' } }

  expect(violationIn(policy, units('ssh.service'))).toBeUndefined()
  expect(violationIn(policy, units('my-own.service'))).toBeUndefined()
  const verdicts = ['1.35.1', '1.35.2', '1.36.3', '1.36.4'].map((version) => violationIn(policy, { version, document: {} })?.rule)
  expect(verdicts).toEqual(['kubeletVersions', undefined, undefined, 'kubeletVersions'])
})

test('the agent applies what every rule allows', async () => {
  const { machine } = await under(
    'kinds: [files, kubelet]\npaths: [/etc/kubernetes]\nunits: []\nurlHosts: [releases.test]\nkubeletVersions: {min: "1.35", max: "1.36"}\ndisruption: restart\n',
  )
  machine.assign({ version: '1.36.3', host: host({ kubelet: machine.release('1.36.3'), files: [FILE] }) })

  await machine.until('Applied')
  expect(machine.host.files.text(FILE.path)).toBe('x\n')
})

test('the agent waits while the host is locked for maintenance, and goes on when it is not', async () => {
  const { machine, untouched } = await under('maintenance: new memory, ask Ada\n')
  machine.assign({ host: host({ files: [FILE] }) })

  const { error } = await machine.until('Staging')
  expect(error?.message).toContain('rule "maintenance": new memory, ask Ada')
  await machine.clock.advance(3_600_000)
  untouched()
  await machine.host.files.remove(HOST_POLICY)
  await machine.until('Applied')
})

test.for([
  ['is no YAML', 'paths: [', {}],
  ['has a rule that there is not', 'path: [/etc]', {}],
  ['has a malformed rule', 'disruption: much', {}],
  ['belongs to somebody else', 'paths: [/]', { uid: 1000 }],
  ['may be written by others', 'disruption: reboot', { mode: 0o666 }],
] as const)('the agent applies nothing as long as the policy %s', async ([, policy, stat]) => {
  const { machine, untouched } = await under(policy, stat)
  machine.assign({ host: host({ files: [FILE] }) })

  expect((await machine.until('Staging')).error?.reason).toBe('HostPolicyUnreadable')
  untouched()
})

test('the agent reboots no machine whose owner forbids that, whoever asks', async () => {
  const { machine } = await under('disruption: drain\n')
  machine.assign({ flags: '--v=2' })
  await machine.until('Applied')
  machine.assign({ flags: '--v=2' }, { GRANT: 'reboot', REBOOT: await machine.host.services.bootId() })

  expect((await machine.until('RolledBack')).error?.message).toContain(
    'the change needs "reboot", and at most "drain" is allowed',
  )
  expect(machine.host.reboots).toBe(0)
})

test('the host goes back to what last worked though the policy allows no disruption', async () => {
  const { machine } = await under('')
  const digest = machine.assign({ flags: '--v=3' })
  await machine.until('Applied')
  await machine.clock.advance(3 * 60_000)
  await machine.host.files.writeAtomic(HOST_POLICY, Buffer.from('disruption: none\nmaintenance: locked\n'), {})
  machine.host.injectCrash(({ args }) => (args.includes('--v=3') ? 'panic: out of luck' : undefined))

  expect(await machine.until('RolledBack')).toMatchObject({ digest, error: { reason: 'TrialFailed' } })
  expect(machine.host.services.healthyVersion()).toBe('v1.35.4')
})

test.for([
  ['forbids what drifted by now', 'paths: [/etc/sysctl.d]\n'],
  ['locks the host', 'maintenance: Ada is at it\n'],
  ['cannot be read', 'paths: ['],
] as const)('drift is told of and not repaired while the policy %s, and repaired afterwards', async ([, policy]) => {
  const { machine } = await under('')
  machine.assign({ host: host({ files: [FILE] }) })
  await machine.until('Applied')
  await machine.host.files.writeAtomic(HOST_POLICY, Buffer.from(policy), { mode: 0o644, uid: 0, gid: 0 })
  await machine.host.files.writeAtomic(FILE.path, Buffer.from('changed by hand\n'))

  await machine.clock.advance(15 * 60_000)
  expect(machine.host.files.text(FILE.path)).toBe('changed by hand\n')
  expect(machine.status?.drift).toEqual([FILE.path])
  await machine.host.files.remove(HOST_POLICY)
  await machine.clock.advance(15 * 60_000)
  expect(machine.host.files.text(FILE.path)).toBe(FILE.content)
})

test('a pattern is no regular expression, and a path no prefix of a name', () => {
  const policy = parseHostPolicy('units: ["a.service"]\npaths: [/etc/a]')
  const requested = (document: object) => ({ version: undefined, document: document as Record<string, unknown> })
  expect(violationIn(policy, requested({ units: [{ name: 'axservice' }] }))?.rule).toBe('units')
  expect(violationIn(policy, requested({ archives: [{ url: 'https://x', directory: '/etc/ab' }] }))?.rule).toBe('paths')
  expect(violationIn(policy, requested({ files: [{ path: '/etc/a/b', content: 'path: /root' }] }))).toBeUndefined()
})

import { expect, test } from 'vitest'
import { changeViolation } from '../../../src/controller/ceilings/content-violation.ts'
import type { Ceiling } from '../../../src/rollout/model/ceiling.ts'

const node = { labels: {} }

function told(document: object, forbiddenPaths: readonly string[]): string | undefined {
  const ceiling = { rules: [{ place: 'rules[0]', forbiddenPaths }] } as unknown as Ceiling
  const content = { host: JSON.stringify(document) }
  return changeViolation(node, { content, disruption: 'none' }, ceiling)?.split(';')[0]
}

test.each([
  ['a package', { packages: [{ name: 'a' }] }, 'package "a", which may write anywhere, is forbidden'],
  [
    'a repository below a forbidden folder',
    { repositories: [{ name: 'r', apt: { url: 'https://r.test/' } }] },
    'path "/etc/apt/sources.list.d/nodewave-r.sources" is forbidden',
  ],
  [
    'an archive that is unpacked above a forbidden folder',
    { archives: [{ name: 'a', directory: '/etc' }] },
    'path "/etc" is forbidden',
  ],
  [
    'an archive that is unpacked below one',
    { archives: [{ name: 'a', directory: '/etc/apt/x' }] },
    'path "/etc/apt/x" is forbidden',
  ],
  ['a link to one', { links: [{ path: '/opt/x', target: '/etc/apt/x' }] }, 'path "/etc/apt/x" is forbidden'],
  ['a link in one', { links: [{ path: '/etc/apt/x', target: '/opt/x' }] }, 'path "/etc/apt/x" is forbidden'],
  ['a link to what is above one', { links: [{ path: '/opt/x', target: '/etc' }] }, 'path "/etc" is forbidden'],
  ['an account', { users: [{ name: 'a' }] }, 'path "/etc/passwd" is forbidden'],
  ['keys of an account', { users: [{ name: 'a', sshKeys: [] }] }, 'path "/etc/passwd" is forbidden'],
  ['a directory in one', { directories: [{ path: '/etc/apt/x' }] }, 'path "/etc/apt/x" is forbidden'],
])('a Ceiling with forbidden paths refuses %s', (_, document, message) => {
  expect(told(document, ['/etc/sudoers.d', '/etc/apt', '/etc/passwd'])).toBe(message)
})

test.each([
  ['the directory above a forbidden folder', { directories: [{ path: '/etc' }] }],
  ['an archive beside one', { archives: [{ name: 'a', directory: '/etc/apt-x' }] }],
  ['a link beside one', { links: [{ path: '/etc/a', target: '/etc/b' }] }],
])('a Ceiling with forbidden paths allows %s', (_, document) => {
  expect(told(document, ['/etc/sudoers.d', '/etc/apt'])).toBeUndefined()
})

test.each<readonly [what: string, unit: object, path: string | undefined]>([
  ['that is masked', { masked: true }, '/etc/systemd/system/a.service'],
  ['with content', { content: '[Service]' }, '/etc/systemd/system/a.service'],
  ['with a drop-in', { dropIns: { '10-a.conf': '[Service]' } }, '/etc/systemd/system/a.service.d/10-a.conf'],
  ['that is only enabled', { enabled: true }, undefined],
])('a Ceiling with a forbidden unit directory refuses a unit %s, or allows it', (_, unit, path) => {
  const message = told({ units: [{ name: 'a.service', ...unit }] }, ['/etc/systemd/system'])
  expect(message).toBe(path && `path "${path}" is forbidden`)
})

test('a Ceiling with forbidden paths looks for none in numbers and in what is null', () => {
  expect(told({ files: [{ path: '/srv/a', content: null, size: 3 }] }, ['/etc'])).toBeUndefined()
  expect(told({ files: [{ path: '/srv/a', content: null, size: 3 }] }, ['/srv'])).toBe('path "/srv/a" is forbidden')
})

test('a Ceiling with forbidden paths allows the package of the kubelet, and without any it allows all', () => {
  expect(told({ kubelet: { package: { manager: 'apt', name: 'kubelet', version: '1' } } }, ['/etc/sudoers.d'])).toBeUndefined()
  expect(told({ packages: [{ name: 'a' }] }, [])).toBeUndefined()
})

test.each<[object, string]>([
  [{ users: [{ name: 'eve', groups: ['sudo'], sshKeys: ['ssh-ed25519 A'] }] }, '/etc/ssh/authorized_keys.d/eve'],
  [{ users: [{ name: 'eve', groups: ['sudo'] }] }, '/etc/group'],
  [{ groups: [{ name: 'sudo' }] }, '/etc/group'],
  [{ sysctls: { 'kernel.core_pattern': '|/tmp/x' } }, '/proc/sys/kernel/core_pattern'],
  [{ kernelModules: ['br_netfilter'] }, '/etc/modules-load.d/nodewave.conf'],
  [{ kernelArguments: ['mitigations=off'] }, '/etc/default/grub.d/99-zz-nodewave.cfg'],
  [{ swap: 'off' }, '/etc/fstab'],
  [{ time: { zone: 'Etc/UTC' } }, '/etc/localtime'],
  [{ certificates: [{ name: 'evil', content: 'x' }] }, '/etc/ssl/certs/nodewave-evil'],
])('a Ceiling with forbidden paths refuses what %j writes without naming it', (document, path) => {
  expect(told(document, [path])).toBe(`path "${path}" is forbidden`)
  expect(told(document, ['/srv'])).toBeUndefined()
})

test('a Ceiling refuses content that writes a label by which one of its rules selects, also where that rule does not select the node', () => {
  const selecting = { place: 'rules[0]', nodeSelector: { matchLabels: { 'node-role.kubernetes.io/control-plane': '' } } }
  const ceiling = { rules: [selecting] } as unknown as Ceiling
  const told = (labels: Readonly<Record<string, string>>, on: NodeLabels = {}) =>
    changeViolation({ labels: on }, { content: { host: JSON.stringify({ node: { labels } }) }, disruption: 'none' }, ceiling)
  const message =
    'label "node-role.kubernetes.io/control-plane" decides for which nodes the rule counts; change it in the repository, or ask an administrator to change rules[0].nodeSelector of the Ceiling "fleet"'

  expect(told({ 'node-role.kubernetes.io/control-plane': 'no' }, { 'node-role.kubernetes.io/control-plane': '' })).toBe(message)
  expect(told({ 'node-role.kubernetes.io/control-plane': '' })).toBe(message)
  expect(told({ tier: 'front' })).toBeUndefined()
})

type NodeLabels = Readonly<Record<string, string>>

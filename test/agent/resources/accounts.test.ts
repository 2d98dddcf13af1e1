import { expect, test } from 'vitest'
import type { NodeContent } from '../../../src/protocol/digest.ts'
import { BAD_FLAGS, expectSameEndAfterDeath, expectWholeOnFullDisk, hostOf } from '../support/kind-stories.ts'
import { Machine } from '../support/machine.ts'

const PASSWD = 'root:x:0:0:root:/root:/bin/bash\nkube:x:992:991::/:/sbin/nologin\ncarol:x:1000:1000::/home/carol:/bin/sh\n'
const GROUP = 'root:x:0:\nkube:x:991:\ncarol:x:1000:\nadm:x:4:carol\n'
const KEY = 'ssh-ed25519 AAAAC3Nz alice@example.com'

function furnished(): Machine {
  const machine = new Machine()
  machine.host.files.put('/etc/passwd', PASSWD)
  machine.host.files.put('/etc/group', GROUP)
  return machine
}

const DOCUMENT = {
  groups: [{ name: 'operators', gid: 1400 }, { name: 'adm' }],
  users: [
    { name: 'alice', uid: 1500, groups: ['operators'], shell: '/bin/bash', sshKeys: [KEY] },
    { name: 'carol', groups: ['operators'], shell: '/bin/bash' },
  ],
}
const content = (document: object = DOCUMENT): NodeContent => ({ host: JSON.stringify(document) })
const accounts = ({ host: { files } }: Machine) => [files.text('/etc/passwd'), files.text('/etc/group')]

test('accounts are made and changed, and given back', async () => {
  const machine = furnished()
  const before = await hostOf(machine)
  machine.start()
  machine.assign(content())
  await machine.until('Applied')
  expect(accounts(machine)).toEqual([
    'root:x:0:0:root:/root:/bin/bash\nkube:x:992:991::/:/sbin/nologin\ncarol:x:1000:1000::/home/carol:/bin/bash\nalice:x:1500:1001::/home/alice:/bin/bash\n',
    'root:x:0:\nkube:x:991:\ncarol:x:1000:\nadm:x:4:\noperators:x:1400:alice,carol\nalice:x:1001:\n',
  ])
  expect(machine.host.files.text('/etc/ssh/authorized_keys.d/alice')).toBe(`${KEY}\n`)
  machine.annotate(null)
  await machine.until('Reverted')

  expect(await hostOf(machine)).toEqual(before)
})

test('account that Git no longer names goes, and the others stay', async () => {
  const machine = furnished()
  machine.start()
  await machine.untilDigest(machine.assign(content()), 'Applied')
  await machine.untilDigest(machine.assign(content({ ...DOCUMENT, users: DOCUMENT.users.slice(1) })), 'Applied')

  expect(accounts(machine)).toEqual([
    'root:x:0:0:root:/root:/bin/bash\nkube:x:992:991::/:/sbin/nologin\ncarol:x:1000:1000::/home/carol:/bin/bash\n',
    'root:x:0:\nkube:x:991:\ncarol:x:1000:\nadm:x:4:\noperators:x:1400:carol\n',
  ])
})

test('account without a shell cannot log in, and takes the group of its name that is there', async () => {
  const machine = furnished()
  machine.start()
  await machine.untilDigest(
    machine.assign(content({ users: [{ name: 'cache', system: true }], groups: [{ name: 'cache', gid: 77 }] })),
    'Applied',
  )

  expect(machine.host.files.text('/etc/passwd')).toContain('cache:x:999:77::/home/cache:/usr/sbin/nologin\n')
})

test('accounts that somebody changed or removed are as assigned again', async () => {
  const machine = furnished()
  machine.start()
  machine.assign(content())
  await machine.until('Applied')
  const applied = accounts(machine).map((text) => text?.split('\n').toSorted())
  await machine.host.accounts.removeUser('alice')
  await machine.host.accounts.changeUser('carol', { shell: '/bin/sh', groups: ['adm'] })
  await machine.clock.advance(6 * 60_000)

  expect(accounts(machine).map((text) => text?.split('\n').toSorted())).toEqual(applied)
  expect(machine.status?.drift).toBeUndefined()
})

test.each<[string, object, string]>([
  ['another uid of an account that is there', { users: [{ name: 'carol', uid: 1500 }] }, 'AccountMismatch'],
  ['another gid of a group that is there', { groups: [{ name: 'adm', gid: 5 }] }, 'AccountMismatch'],
  ['root', { users: [{ name: 'root' }] }, 'MalformedHostDocument'],
  ['a name that is an option', { users: [{ name: '-r' }] }, 'MalformedHostDocument'],
  ['a name with a colon', { groups: [{ name: 'a:x:0' }] }, 'MalformedHostDocument'],
])('assignment of %s is refused, and the host stays as it is', async (_, document, reason) => {
  const machine = furnished()
  machine.start()
  machine.assign(content(document))

  expect((await machine.until('RolledBack')).error?.reason).toBe(reason)
  expect(accounts(machine)).toEqual([PASSWD, GROUP])
})

test('accounts are taken back when a group that one needs does not exist', async () => {
  const machine = furnished()
  const before = await hostOf(machine)
  machine.start()
  machine.assign(content({ ...DOCUMENT, users: [...DOCUMENT.users, { name: 'dave', groups: ['nobodies'] }] }))

  expect((await machine.until('RolledBack')).error?.message).toContain("group 'nobodies' does not exist")
  expect(await hostOf(machine)).toEqual(before)
})

const scene = { machine: furnished, content: () => content() }

test('accounts come to the same end when the agent or the machine dies after any effect', () =>
  expectSameEndAfterDeath(scene, { flags: '--v=3', phase: 'Applied' }))

test('accounts are taken back when the kubelet crashes, also when the agent dies meanwhile', () =>
  expectSameEndAfterDeath(scene, { flags: BAD_FLAGS, phase: 'RolledBack', deaths: [{}] }))

test('accounts are there, or not at all, when the disk is full from any effect on', () => expectWholeOnFullDisk(scene))

test.each([
  ['an account', { users: [{ name: 'alice' }] }, 'paths: [/etc/group]', '/etc/passwd'],
  ['a group', { groups: [{ name: 'ops' }] }, 'paths: [/etc/passwd]', '/etc/group'],
  ['SSH keys', { users: [{ name: 'alice', sshKeys: [KEY] }] }, 'paths: [/etc/passwd]', '/etc/ssh/authorized_keys.d/alice'],
])('%s that the policy of the host does not allow is refused', async (_, document, policy, path) => {
  const machine = furnished()
  machine.host.files.put('/etc/nodewave/policy.yaml', policy)
  machine.start()
  machine.assign(content(document))

  const { error } = await machine.until('RolledBack')
  expect(error?.reason).toBe('HostPolicy')
  expect(error?.message).toContain(`path "${path}" is not allowed`)
})

test('account that a refused commit took away comes back with its numbers', async () => {
  const machine = furnished()
  machine.start()
  await machine.untilDigest(machine.assign(content()), 'Applied')
  const before = accounts(machine).map((text) => text?.split('\n').toSorted())
  await machine.untilDigest(machine.assign({ ...content({ groups: DOCUMENT.groups }), flags: BAD_FLAGS }), 'RolledBack')

  expect(machine.host.files.text('/etc/passwd')).toContain('alice:x:1500:1001:')
  expect(accounts(machine).map((text) => text?.split('\n').toSorted())).toEqual(before)
})

const CACHE = { groups: [{ name: 'cache', gid: 77 }], users: [{ name: 'cache' }] }

test('group that Git still names stays when the user of its name goes', async () => {
  const machine = furnished()
  machine.start()
  await machine.untilDigest(machine.assign(content(CACHE)), 'Applied')
  await machine.untilDigest(machine.assign(content({ groups: CACHE.groups })), 'Applied')

  expect(machine.host.files.text('/etc/group')).toContain('cache:x:77:\n')
})

test.each([
  ['a commit with the user of its name is undone', { flags: BAD_FLAGS }, 'RolledBack'],
  ['the user of its name is given back', {}, 'Applied'],
] as const)('group that was on the host stays when %s', async (_, more, phase) => {
  const machine = furnished()
  machine.host.files.put('/etc/group', `${GROUP}cache:x:77:\n`)
  machine.start()
  await machine.untilDigest(machine.assign({ ...content({ users: CACHE.users }), ...more }), phase)
  machine.annotate(null)
  await machine.until('Reverted')

  expect(accounts(machine)).toEqual([PASSWD, `${GROUP}cache:x:77:\n`])
})

test('accounts that somebody changed are left alone where the drift policy says so', async () => {
  const machine = furnished()
  machine.start()
  machine.assign(content({ ...DOCUMENT, drift: { kinds: { users: 'Report', groups: 'Ignore' } } }))
  await machine.until('Applied')
  await machine.host.accounts.changeUser('carol', { shell: '/bin/sh' })
  await machine.clock.advance(6 * 60_000)

  expect(machine.status?.drift).toEqual(['user carol'])
  expect(machine.host.files.text('/etc/passwd')).toContain('carol:x:1000:1000::/home/carol:/bin/sh\n')
})

test('group that is named twice is no drift', async () => {
  const machine = furnished()
  machine.start()
  machine.assign(content({ users: [{ name: 'carol', groups: ['adm', 'kube', 'adm'] }] }))
  await machine.until('Applied')
  await machine.clock.advance(60 * 60_000)

  expect(machine.status?.contested).toBeUndefined()
})

test('a file belongs to whom it names, by the name of the host or by number, and root is 0 also where nobody is known', async () => {
  const machine = new Machine()
  machine.host.files.put('/etc/passwd', 'kube:x:998:997::/:/bin/false\n')
  machine.host.files.put('/etc/group', 'kube:x:997:\n')
  machine.start()
  const files = [
    { path: '/etc/a', content: 'a\n', owner: 'kube', group: 'root' },
    { path: '/etc/b', content: 'b\n', owner: 'root', group: 'kube' },
    { path: '/etc/c', content: 'c\n', owner: '12', group: '34' },
  ]
  machine.assign({ host: JSON.stringify({ files }) })
  await machine.until('Applied')

  const owners = await Promise.all(files.map(({ path }) => machine.host.files.stat(path)))
  expect(owners.map((stat) => [stat?.uid, stat?.gid])).toEqual([
    [998, 0],
    [0, 997],
    [12, 34],
  ])
})

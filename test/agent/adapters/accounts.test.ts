import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AccountManager } from '../../../src/agent/account-manager.ts'
import { accountPrograms } from '../../../src/agent/adapters/account-programs.ts'
import { MemoryFiles } from '../../../src/sim/host/memory-files.ts'
import { simulatedAccounts } from '../../../src/sim/host/simulated-accounts.ts'

const PASSWD = 'root:x:0:0:root:/root:/bin/bash\nkube:x:992:991::/:/usr/sbin/nologin\n'
const GROUP = 'root:x:0:\nkube:x:991:\nadm:x:4:root\n'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'nodewave-accounts-'))
  mkdirSync(join(root, 'etc'))
  writeFileSync(join(root, 'etc/passwd'), PASSWD)
  writeFileSync(join(root, 'etc/group'), GROUP)
  writeFileSync(join(root, 'etc/shadow'), 'root:*:19000:0:99999:7:::\nkube:!:19000::::::\n')
  writeFileSync(join(root, 'etc/gshadow'), 'root:*::\nkube:!::\nadm:*::root\n')
  writeFileSync(join(root, 'etc/login.defs'), 'UID_MIN 1000\nGID_MIN 1000\nUSERGROUPS_ENAB yes\n')
})
afterEach(() => rmSync(root, { recursive: true }))

interface Host {
  readonly accounts: AccountManager
  text(name: 'passwd' | 'group'): string
}

const HOSTS: readonly [string, () => Host][] = [
  ['programs', () => ({ accounts: accountPrograms(root), text: (name) => readFileSync(join(root, 'etc', name), 'utf8') })],
  [
    'simulated',
    () => {
      const files = new MemoryFiles()
      files.put('/etc/passwd', PASSWD)
      files.put('/etc/group', GROUP)
      return { accounts: simulatedAccounts(files), text: (name) => files.text(`/etc/${name}`) ?? '' }
    },
  ],
]

// The programs change nothing for anybody but root.
test.skipIf(process.getuid?.() !== 0).each(HOSTS)('accounts (%s) come and go as a whole', async (_, make) => {
  const { accounts, text } = make()
  await accounts.addGroup({ name: 'operators', gid: 1400 })
  await accounts.addUser({ name: 'alice', uid: 1500, groups: ['operators', 'adm'], shell: '/bin/bash', home: '/srv/alice' })
  expect(text('passwd')).toBe(
    `${PASSWD}alice:x:1500:1500::/srv/alice:/bin/bash\n`.replace(':1500:1500:', `:1500:${gidOf(text('group'))}:`),
  )
  expect(text('group')).toContain('adm:x:4:root,alice\n')
  expect(text('group')).toContain('operators:x:1400:alice\n')
  await accounts.changeUser('alice', { groups: ['adm'], shell: '/usr/sbin/nologin' })
  expect(text('group')).toContain('operators:x:1400:\n')
  expect(text('passwd')).toContain(':/srv/alice:/usr/sbin/nologin\n')
  await accounts.removeUser('alice')
  await accounts.removeGroup('operators')
  expect([text('passwd'), text('group')]).toEqual([PASSWD, GROUP])
})

function gidOf(text: string): string {
  return /^alice:x:(\d+):/m.exec(text)?.[1] ?? ''
}

test.skipIf(process.getuid?.() !== 0).each(HOSTS)('accounts (%s) take the primary group that is named', async (_, make) => {
  const { accounts, text } = make()
  await accounts.addUser({ name: 'cache', group: 'kube', system: true, shell: '/usr/sbin/nologin' })
  expect(text('passwd')).toMatch(/^cache:x:\d{3}:991:/m)
  expect(text('group')).toBe(GROUP)
})

test.skipIf(process.getuid?.() !== 0).each(HOSTS)('accounts (%s) say what cannot be done', async (_, make) => {
  const { accounts } = make()
  await expect(accounts.addUser({ name: 'kube' })).rejects.toThrow("user 'kube' already exists")
  await expect(accounts.addGroup({ name: 'kube' })).rejects.toThrow("group 'kube' already exists")
  await expect(accounts.removeGroup('kube')).rejects.toThrow("cannot remove the primary group of user 'kube'")
  await expect(accounts.addUser({ name: 'bob', groups: ['nobodies'] })).rejects.toThrow("group 'nobodies' does not exist")
})

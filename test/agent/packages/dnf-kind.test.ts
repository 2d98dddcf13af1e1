import { expect, test } from 'vitest'
import { aMachine, content, offered, ownSource } from './a-machine.ts'
import { text } from './some-packages.ts'

test('packages of dnf come from a repository of the same commit, stay when a later one fails, and go with what Git no longer names', async () => {
  const machine = aMachine('dnf')
  const { packages, files } = machine.host
  packages.put(offered('lib', '1.0'), { automatic: true })
  packages.put(offered('app', '1.0'))
  files.put(...ownSource('dnf'))
  machine.start()
  const wishes = [
    { name: 'app', version: '2.0' },
    { name: 'tool', version: '1.1' },
  ]
  await machine.untilDigest(machine.assign(content(wishes, {}, 'dnf')), 'Applied')
  expect(await packages.installed('app')).toMatchObject({ version: '2.0', held: true })
  expect(await packages.installed('lib')).toMatchObject({ version: '2.0', automatic: true })
  expect(text(machine, '/etc/yum.repos.d/nodewave-stable.repo')).toBe(REPOSITORY)
  expect(text(machine, '/etc/pki/rpm-gpg/nodewave-stable.asc')).toContain('BEGIN PGP PUBLIC KEY BLOCK')
  machine.assign({ ...content([], {}, 'dnf'), flags: '--container-runtime-endpoint=unix:///not/there.sock' })
  await machine.until('RolledBack')
  expect(await packages.installed('app')).toMatchObject({ version: '2.0', held: true })
  machine.annotate(null)
  await machine.until('Reverted')
  expect(await packages.installed('app')).toMatchObject({ version: '1.0', held: false })
  expect(await packages.installed('tool')).toBeUndefined()
  expect(text(machine, '/etc/yum.repos.d/nodewave-stable.repo')).toBeUndefined()
})

const REPOSITORY = `# Written by nodewave; changes are undone.
[nodewave-stable]
name=stable, managed by nodewave
baseurl=https://packages.test/stable/
enabled=1
gpgcheck=1
gpgkey=file:///etc/pki/rpm-gpg/nodewave-stable.asc
skip_if_unavailable=0
`

test('package of dnf in a version that no repository has any more is not changed', async () => {
  const machine = aMachine('dnf')
  machine.host.packages.put({ name: 'tool', version: '0.9', files: { '/usr/bin/tool': 'tool 0.9' } })
  machine.start()
  machine.assign(content([{ name: 'tool', version: '1.1' }], {}, 'dnf'))

  expect((await machine.until('RolledBack')).error).toMatchObject({ reason: 'NoWayBack' })
  expect(text(machine, '/usr/bin/tool')).toBe('tool 0.9')
})

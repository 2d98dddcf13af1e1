import { expect, test } from 'vitest'
import { aMachine, content, offered, SOURCES, URL } from './a-machine.ts'
import { MINUTE, text } from './some-packages.ts'

test('package whose script fails is put back, and the error says so', async () => {
  const machine = aMachine()
  machine.start()
  machine.assign(
    content([
      { name: 'broken', version: '1.0' },
      { name: 'tool', version: '1.0' },
    ]),
  )
  const { error } = await machine.until('RolledBack')

  expect(error?.message).toContain('post-installation script')
  expect(await machine.host.packages.installed('broken')).toBeUndefined()
  expect(await machine.host.packages.installed('tool')).toBeUndefined()
})

test('package that cannot be put back is named with what its package manager says', async () => {
  const machine = aMachine()
  const { packages } = machine.host
  packages.put(offered('tool', '1.0'))
  const apply = packages.apply.bind(packages)
  packages.apply = async (work) => {
    if ((await packages.installed('tool'))?.version === '1.1') throw new Error('dpkg: the disk is full')
    await apply(work)
  }
  machine.start()
  machine.assign({ ...content([{ name: 'tool', version: '1.1' }]), flags: '--container-runtime-endpoint=unix:///not/there.sock' })
  const { error } = await machine.until('Failed', 'RolledBack')

  expect(error?.message).toContain('dpkg: the disk is full')
})

test('package in a version that no repository has any more is upgraded, and put back', async () => {
  const machine = aMachine()
  machine.host.packages.put({ name: 'tool', version: '0.9', files: { '/usr/bin/tool': 'tool 0.9' } })
  machine.start()
  machine.assign({ ...content([{ name: 'tool', version: '1.1' }]), flags: '--container-runtime-endpoint=unix:///not/there.sock' })
  await machine.until('RolledBack')
  expect(text(machine, '/usr/bin/tool')).toBe('tool 0.9')
  await machine.untilDigest(machine.assign(content([{ name: 'tool', version: '1.1' }])), 'Applied')

  expect(text(machine, '/usr/bin/tool')).toBe('tool 1.1')
})

test('package without a way back, since it is damaged and no repository has it, is not changed', async () => {
  const machine = aMachine()
  machine.host.packages.put({ name: 'tool', version: '0.9', files: { '/usr/bin/tool': 'tool 0.9' } })
  await machine.host.files.remove('/usr/bin/tool')
  machine.start()
  machine.assign(content([{ name: 'tool', version: '1.1' }]))

  expect((await machine.until('RolledBack')).error).toMatchObject({ reason: 'NoWayBack' })
  expect(await machine.host.packages.installed('tool')).toMatchObject({ version: '0.9' })
})

test('package that Git no longer names goes back to what it was, and one that came with Git is removed', async () => {
  const machine = aMachine()
  machine.host.packages.put(offered('tool', '1.0'))
  machine.host.files.put('/etc/apt/sources.list.d/own.sources', `URIs: ${URL}\n`)
  machine.start()
  await machine.untilDigest(
    machine.assign(
      content([
        { name: 'tool', version: '1.1' },
        { name: 'app', version: '1.0' },
      ]),
    ),
    'Applied',
  )
  await machine.untilDigest(machine.assign({ flags: '--v=3' }), 'Applied')

  expect(await machine.host.packages.installed('tool')).toMatchObject({ version: '1.0', held: false })
  expect(await machine.host.packages.installed('app')).toBeUndefined()
  expect(text(machine, SOURCES)).toBeUndefined()
})

test('package that counts where it is installed stays when somebody installed it meanwhile, and Git no longer names it', async () => {
  const machine = aMachine()
  machine.start()
  await machine.untilDigest(machine.assign(content([{ name: 'lib', version: '2.0', ifInstalled: true }])), 'Applied')
  machine.host.packages.put(offered('lib', '1.0'))
  await machine.clock.advance(6 * MINUTE)
  expect(machine.status?.drift).toEqual(['package:lib'])
  machine.annotate(null)
  await machine.until('Reverted')

  expect(await machine.host.packages.installed('lib')).toMatchObject({ version: '1.0', held: false })
})

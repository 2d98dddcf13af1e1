import { expect, test } from 'vitest'
import type { Machine } from '../support/machine.ts'
import { aMachine, content, offered, SOURCES, URL } from './a-machine.ts'
import { MINUTE, text } from './some-packages.ts'

test('package is installed from a repository that comes with the same commit, with its dependency, and held', async () => {
  const machine = aMachine()
  machine.start()
  machine.assign(content([{ name: 'app', version: '1.0' }]))
  await machine.until('Applied')

  expect(text(machine, '/usr/bin/app')).toBe('app 1.0')
  expect(await machine.host.packages.installed('app')).toMatchObject({ version: '1.0', held: true, automatic: false })
  expect(await machine.host.packages.installed('lib')).toMatchObject({ version: '2.0', held: false, automatic: true })
  expect(text(machine, SOURCES)).toContain('Signed-By:\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n abc\n')
})

test('package goes up and down with its version, and stays held', async () => {
  const machine = aMachine()
  machine.start()
  for (const version of ['1.0', '1.1', '1.0']) {
    await machine.untilDigest(machine.assign(content([{ name: 'tool', version }])), 'Applied')
    expect(text(machine, '/usr/bin/tool')).toBe(`tool ${version}`)
    expect(await machine.host.packages.installed('tool')).toMatchObject({ version, held: true })
  }
})

test('store of archives keeps two versions of a package once the trial is over, and nothing of changes that are done', async () => {
  const machine = aMachine()
  machine.host.packages.put({ name: 'tool', version: '0.9', files: { '/usr/bin/tool': 'tool 0.9' } })
  machine.start()
  for (const version of ['1.0', '1.1', '1.0', '1.1'])
    await machine.untilDigest(machine.assign(content([{ name: 'tool', version }])), 'Applied')
  await machine.clock.advance(20 * MINUTE)

  const names = await machine.host.files.list('/var/lib/nodewave/packages')
  expect(names).toEqual(['tool_1.0_amd64.deb', 'tool_1.1_amd64.deb', 'versions.json'])
})

test('package that somebody upgrades while its change is staged is staged again', async () => {
  const machine = aMachine()
  const { packages } = machine.host
  packages.put({ name: 'tool', version: '0.9', files: { '/usr/bin/tool': 'tool 0.9' } })
  const fetch = packages.fetch.bind(packages)
  packages.fetch = async (archive) => {
    const path = await fetch(archive)
    if (archive.version === '0.9') packages.put(offered('tool', '1.0'))
    return path
  }
  machine.start()
  machine.assign(content([{ name: 'tool', version: '1.1' }]))
  await machine.until('Applied')

  expect(text(machine, '/usr/bin/tool')).toBe('tool 1.1')
  expect(text(machine, '/var/lib/nodewave/packages/tool_1.0_amd64.deb')).toContain('tool 1.0')
})

test('package that came for another one stays so when it is upgraded with that', async () => {
  const machine = aMachine()
  machine.host.packages.put(offered('lib', '1.0'), { automatic: true })
  machine.host.packages.put(offered('app', '1.0'))
  machine.start()
  machine.assign(content([{ name: 'app', version: '2.0' }]))
  await machine.until('Applied')

  expect(await machine.host.packages.installed('lib')).toMatchObject({ version: '2.0', automatic: true })
})

test('packages that need each other are changed at once', async () => {
  const machine = aMachine()
  machine.start()
  await machine.untilDigest(
    machine.assign(
      content([
        { name: 'app', version: '1.0' },
        { name: 'lib', version: '1.0' },
      ]),
    ),
    'Applied',
  )
  await machine.untilDigest(
    machine.assign(
      content([
        { name: 'app', version: '2.0' },
        { name: 'lib', version: '2.0' },
      ]),
    ),
    'Applied',
  )

  expect(text(machine, '/usr/bin/app')).toBe('app 2.0')
  expect(text(machine, '/usr/lib/lib.so')).toBe('lib 2.0')
})

test('package that another one needs is not taken away from it', async () => {
  const machine = aMachine()
  machine.start()
  await machine.untilDigest(machine.assign(content([{ name: 'app', version: '1.0' }])), 'Applied')
  machine.assign(
    content([
      { name: 'lib', state: 'absent' },
      { name: 'app', version: '1.0' },
    ]),
  )
  const { error } = await machine.until('RolledBack')

  expect(error).toMatchObject({ reason: 'PackageConflict' })
  expect(error?.message).toContain('it would remove "app"')
  expect(text(machine, '/usr/bin/app')).toBe('app 1.0')
})

test('package that somebody holds is not changed for another one', async () => {
  const machine = aMachine()
  machine.host.packages.put(offered('lib', '1.0'), { held: true })
  machine.start()
  machine.assign(content([{ name: 'app', version: '2.0' }]))

  expect((await machine.until('RolledBack')).error?.message).toContain('"lib" is held')
})

test('packages are as they were after a change that the kubelet does not survive, also with the repository gone', async () => {
  const machine = aMachine()
  machine.host.packages.put(offered('lib', '1.0'), { automatic: true })
  machine.host.packages.put(offered('app', '1.0'), { held: true })
  machine.host.files.put('/usr/bin/tool', 'installed by hand')
  machine.host.files.put(SOURCES, `URIs: ${URL}\n`)
  const before = machine.hostFiles()
  machine.host.injectCrash(({ args }) => (args.includes('--v=4') ? 'panic' : undefined))
  machine.start()
  const packages = [
    { name: 'app', version: '2.0' },
    { name: 'tool', version: '1.1' },
  ]
  machine.assign({ ...content(packages), flags: '--v=4' })
  await machine.clock.runUntil(() => text(machine, '/usr/bin/app') === 'app 2.0')
  machine.host.packages.offers.clear()
  await machine.until('RolledBack')

  // As after `apt-get remove`: the configuration of a package that was not there before stays.
  expect(machine.hostFiles()).toEqual({ ...before, '/etc/tool.conf': '644 0:0 two' })
})

test.each([
  ['installed beside', { flags: '--v=3' }, 'Applied'],
  ['put back beside', { flags: '--container-runtime-endpoint=unix:///not/there.sock' }, 'RolledBack'],
] as const)('package is %s one of somebody else that is broken for good', async (_, more, phase) => {
  const machine = aMachine()
  await machine.clock.advance(5000)
  machine.host.packages.put({ name: 'dkms', version: '1', script: 'fails' }, { complete: false })
  machine.host.packages.put(offered('tool', '1.0'), { held: true })
  machine.host.files.put('/etc/apt/sources.list.d/own.sources', `URIs: ${URL}\n`)
  const before = machine.hostFiles()
  machine.start()
  machine.assign({ ...content([{ name: 'tool', version: '1.1' }]), ...more })
  await machine.until(phase)

  if (phase === 'Applied') expect(await machine.host.packages.installed('tool')).toMatchObject({ version: '1.1', held: true })
  else expect(machine.hostFiles()).toEqual(before)
})

test.each([
  ['no repository has', 'PackageNotFound', '9.9', () => {}],
  ['an unreachable repository has', undefined, '1.1', (machine: Machine) => machine.host.packages.offers.clear()],
])('package in a version that %s is not installed, and nothing is disturbed', async (_, reason, version, happen) => {
  const machine = aMachine()
  happen(machine)
  const before = machine.hostFiles()
  machine.start()
  machine.assign(content([{ name: 'tool', version }]))
  await machine.clock.advance(MINUTE)

  expect(machine.status).toMatchObject({ phase: reason === undefined ? 'Fetching' : 'RolledBack' })
  expect(machine.status?.error?.reason).toBe(reason ?? 'RepositoryUnavailable')
  expect(machine.hostFiles()).toEqual(before)
})

test('package manager of somebody else is waited for, and the status names it', async () => {
  const machine = aMachine()
  machine.host.packages.faults.lock = 'apt-get (pid 4711)'
  machine.start()
  machine.assign(content([{ name: 'tool', version: '1.0' }]))
  await machine.clock.runUntil(() => machine.status?.error?.reason === 'PackageManagerBusy')
  expect(machine.status?.error?.message).toContain('apt-get (pid 4711) has the package database')
  machine.host.packages.faults.lock = undefined
  await machine.until('Applied')

  expect(text(machine, '/usr/bin/tool')).toBe('tool 1.0')
})

test('package that others upgraded is reported, and a hold that somebody took away is set again', async () => {
  const machine = aMachine()
  machine.start()
  machine.assign(
    content([
      { name: 'tool', version: '1.0' },
      { name: 'lib', version: '1.0' },
    ]),
  )
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  machine.host.packages.put(offered('tool', '1.1'))
  await machine.host.packages.hold('lib', false)
  await machine.clock.advance(6 * MINUTE)

  expect(machine.status?.drift).toContain('package:tool')
  expect(text(machine, '/usr/bin/tool')).toBe('tool 1.1')
})

test('package that counts where it is installed goes up there and back again, and comes nowhere else', async () => {
  const machine = aMachine()
  machine.host.packages.put(offered('tool', '1.0'))
  machine.start()
  const wishes = [
    { name: 'tool', version: '1.1', ifInstalled: true },
    { name: 'lib', version: '1.0', ifInstalled: true },
  ]
  await machine.untilDigest(machine.assign(content(wishes)), 'Applied')
  expect(await machine.host.packages.installed('tool')).toMatchObject({ version: '1.1', held: true })
  expect(await machine.host.packages.installed('lib')).toBeUndefined()
  machine.annotate(null)
  await machine.until('Reverted')
  expect(await machine.host.packages.installed('tool')).toMatchObject({ version: '1.0', held: false })
})

test('unit restarts on a package', async () => {
  const machine = aMachine()
  machine.start()
  const units = [{ name: 'containerd.service', restartOn: ['package:tool'] }]
  machine.assign(content([{ name: 'tool', version: '1.0' }], { units }))
  await machine.until('Applied')
  const { mainPid } = await machine.host.services.show('containerd.service')
  await machine.untilDigest(machine.assign(content([{ name: 'tool', version: '1.1' }], { units })), 'Applied')

  expect((await machine.host.services.show('containerd.service')).mainPid).not.toBe(mainPid)
})

test('unit that restarts on a package goes on running when the package is only held, also beside one that comes', async () => {
  const machine = aMachine()
  machine.host.packages.put(offered('tool', '1.0'))
  machine.start()
  const units = [{ name: 'containerd.service', restartOn: ['package:tool'] }]
  machine.assign(content([], { units }))
  await machine.until('Applied')
  const { mainPid } = await machine.host.services.show('containerd.service')
  const wishes = [
    { name: 'tool', version: '1.0' },
    { name: 'app', version: '1.0' },
  ]
  await machine.untilDigest(machine.assign(content(wishes, { units })), 'Applied')

  expect(await machine.host.packages.installed('tool')).toMatchObject({ held: true })
  expect(await machine.host.packages.installed('app')).toBeDefined()
  expect((await machine.host.services.show('containerd.service')).mainPid).toBe(mainPid)
})

test.each([
  ['apt', 'dnf'],
  ['dnf', 'apt'],
] as const)('repository for %s is refused where %s manages the packages', async (theirs, manager) => {
  const machine = aMachine(manager)
  machine.start()
  machine.assign(content([], {}, theirs))

  expect((await machine.until('RolledBack')).error).toMatchObject({ reason: 'NoPackageManager' })
})

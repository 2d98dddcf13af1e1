import { afterAll, describe, expect, test } from 'vitest'
import { absent, carryOut, KINDS, NOTHING, offering, present, SLOW, step } from './every-manager.ts'
import { closeWorkshop } from './real-rpm.ts'

afterAll(closeWorkshop)

describe.each(KINDS)('%s', (kind, isThere, make) => {
  const isRpm = !kind.endsWith('apt')
  test.runIf(isThere)('brings dependencies in the newest version, and tells them', { timeout: SLOW }, async () => {
    using world = await offering(make)
    const steps = await carryOut(world, present('app', '1.0-1'))

    expect(steps).toEqual([step('app', undefined, '1.0-1'), step('lib', undefined, '2.0-1')])
    expect(world.read('/usr/bin/app')).toBe('app 1.0\n')
    expect(await world.packages.installed('lib')).toEqual({
      version: '2.0-1',
      architecture: world.architecture,
      held: false,
      complete: true,
      automatic: false,
    })
    expect(await world.packages.installed('tool')).toBeUndefined()
    expect(await world.packages.files('app')).toContain('/usr/bin/app')
  })

  test.runIf(isThere)(
    'holds and marks while the package manager cannot read the sources of the host',
    { timeout: SLOW },
    async () => {
      using world = await offering(make)
      await carryOut(world, present('tool', '1.0-1'))
      // Before the steps of a commit have removed one of two files that name a repository with different keys.
      world.put(isRpm ? world.source('theirs') : '/etc/apt/sources.list.d/theirs.list', 'no line of a source\n')
      await world.packages.markAutomatic(['tool'])
      await world.packages.hold('tool', true)
      expect(await world.packages.installed('tool')).toMatchObject({ held: true, automatic: true })
      await world.packages.hold('tool', false)
      expect((await world.packages.installed('tool'))?.held).toBe(false)
    },
  )

  test.runIf(isThere)('installs what the host knows of, and what has come since', { timeout: SLOW }, async () => {
    using world = await offering(make)
    world.refresh()
    await carryOut(world, present('tool', '1.0-1'))
    world.offer('stable', [{ name: 'tool', version: '2.0-1', files: { '/usr/bin/tool': 'tool 2.0\n' } }])
    await carryOut(world, present('tool', '2.0-1'))

    expect(world.read('/usr/bin/tool')).toBe('tool 2.0\n')
  })

  test.runIf(isThere)('goes up and down, and apt forgets that a package was held', { timeout: SLOW }, async () => {
    using world = await offering(make)
    await carryOut(world, present('tool', '1.0-1'))
    await world.packages.hold('tool', true)
    expect((await world.packages.installed('tool'))?.held).toBe(true)

    expect(await carryOut(world, present('tool', '1:1.1-1'))).toEqual([step('tool', '1.0-1', '1:1.1-1')])
    expect((await world.packages.installed('tool'))?.held).toBe(isRpm)
    expect(await carryOut(world, present('tool', '1.0-1'))).toEqual([step('tool', '1:1.1-1', '1.0-1')])
    expect(world.read('/usr/bin/tool')).toBe('tool 1.0\n')
  })

  test.runIf(isThere)('removes a package, and apt leaves its configuration', { timeout: SLOW }, async () => {
    using world = await offering(make)
    await carryOut(world, present('tool', '1.0-1'))

    expect(await carryOut(world, absent('tool'))).toEqual([step('tool', '1.0-1', undefined)])
    expect(await world.packages.installed('tool')).toBeUndefined()
    expect([world.read('/usr/bin/tool'), world.read('/etc/tool.conf')]).toEqual([undefined, isRpm ? undefined : 'one\n'])
  })

  test.runIf(isThere)('tells that removing a package takes away what needs it', { timeout: SLOW }, async () => {
    using world = await offering(make)
    await carryOut(world, present('app', '1.0-1'))
    const steps = await world.packages.resolve([absent('lib')], { upcoming: NOTHING })

    expect(steps.map(({ name, to }) => [name, to]).toSorted()).toEqual([
      ['app', undefined],
      ['lib', undefined],
    ])
  })

  test.runIf(isThere)('refuses wishes that contradict each other', { timeout: SLOW }, async () => {
    using world = await offering(make)

    await expect(
      world.packages.resolve([present('app', '2.0-1'), present('lib', '1.0-1')], { upcoming: NOTHING }),
    ).rejects.toMatchObject({ reason: 'PackageConflict' })
    await expect(world.packages.resolve([present('app', '9.9-1')], { upcoming: NOTHING })).rejects.toMatchObject({
      reason: 'PackageNotFound',
    })
    await expect(world.packages.resolve([present('nothing')], { upcoming: NOTHING })).rejects.toMatchObject({
      reason: 'PackageNotFound',
    })
  })

  test.runIf(isThere)(
    'leaves a package half configured when its script fails, and goes back from there',
    { timeout: SLOW },
    async () => {
      using world = await offering(make)
      await expect(carryOut(world, present('broken', '1.0-1'))).rejects.toMatchObject({
        kind: 'validate',
        reason: 'PackageFailed',
      })
      expect(await world.packages.installed('broken')).toMatchObject({ complete: false })
      expect(await world.packages.isInterrupted()).toBe(true)
      await world.packages.repair()
      expect(await world.packages.installed('broken')).toMatchObject({ complete: false })

      await world.packages.apply({ install: [], remove: ['broken'] })
      expect(await world.packages.installed('broken')).toBeUndefined()
      expect(await world.packages.isInterrupted()).toBe(false)
    },
  )

  test.runIf(isThere)(
    'installs beside a package that is broken for good, and apt says that something failed',
    { timeout: SLOW },
    async () => {
      using world = await offering(make)
      await carryOut(world, present('broken', '1.0-1')).catch(() => {})
      const failed = await carryOut(world, present('tool', '1.0-1')).then(
        () => 'nothing',
        ({ reason }) => reason,
      )
      expect(failed).toBe(isRpm ? 'nothing' : 'PackageFailed')
      expect(await world.packages.installed('tool')).toMatchObject({ version: '1.0-1', complete: true })
    },
  )

  test.runIf(isThere && kind.includes('real dnf'))(
    'names packages that count only after a reboot, and that an administrator has added',
    { timeout: SLOW },
    async () => {
      using world = await offering(make)
      const before = Date.now() - 60_000
      const glibc = { name: 'glibc', version: '2.0-1', files: { '/usr/lib/libc.so': 'c' } }
      world.put(world.source('c'), world.offer('core', [glibc]))
      await carryOut(world, present('glibc'), present('tool', '1.0-1'))
      expect(await world.packages.awaitingReboot(before)).toEqual(['glibc'])
      expect(await world.packages.awaitingReboot(Date.now() + 60_000)).toEqual([])

      world.put('/etc/dnf/plugins/needs-restarting.d/own.conf', '# ours\ntool\n')
      expect(await world.packages.awaitingReboot(before)).toEqual(['glibc', 'tool'])
    },
  )

  test.runIf(isThere)('remembers which packages came for others, until somebody names them', { timeout: SLOW }, async () => {
    using world = await offering(make)
    await carryOut(world, present('app', '1.0-1'))
    await world.packages.markAutomatic(['lib'])

    expect((await world.packages.installed('lib'))?.automatic).toBe(true)
    expect((await world.packages.installed('app'))?.automatic).toBe(false)
    await carryOut(world, present('lib', '1.0-1'))
    expect((await world.packages.installed('lib'))?.automatic).toBe(false)
  })
})

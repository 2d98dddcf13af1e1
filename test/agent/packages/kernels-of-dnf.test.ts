import { afterAll, describe, expect, test } from 'vitest'
import { SimulatedPackages } from '../../../src/sim/host/simulated-packages.ts'
import { absent, carryOut, KINDS, NOTHING, OFFERS_OF_RPM, offering, present, SLOW, step } from './every-manager.ts'
import { closeWorkshop } from './real-rpm.ts'

afterAll(closeWorkshop)

describe.each(KINDS)('%s', (kind, isThere, make) => {
  const isDnf = kind.includes('dnf')
  test.runIf(isThere && isDnf)('installs a kernel beside the others, however many there are', { timeout: SLOW }, async () => {
    using world = await offering(make, OFFERS_OF_RPM)
    await carryOut(world, present('kernel', '5.1-1'))
    await carryOut(world, present('kernel', '5.2-1'))
    expect(await carryOut(world, present('kernel', '5.3-1'))).toEqual([
      { ...step('kernel', '5.2-1', '5.3-1'), leaving: [] },
      { ...step('kernel-core', '5.2-1', '5.3-1'), leaving: [] },
    ])

    for (const version of ['5.1-1', '5.2-1', '5.3-1']) expect(world.read(`/boot/vmlinuz-${version}`)).toBe(version)
    expect(await world.packages.installed('kernel-core')).toMatchObject({ version: '5.3-1', others: ['5.1-1', '5.2-1'] })
  })

  test.runIf(isThere && isDnf)('takes one version of a kernel away, also the one that runs', { timeout: SLOW }, async () => {
    using world = await offering(make, OFFERS_OF_RPM)
    const { packages } = world
    await carryOut(world, present('kernel', '5.1-1'))
    await carryOut(world, present('kernel', '5.2-1'))
    if (packages instanceof SimulatedPackages) packages.runningKernel = '5.2-1'
    expect((await packages.installed('kernel-core'))?.running).toBe('5.2-1')
    const removeVersions = ['kernel', 'kernel-core'].map((name) => ({ name, version: '5.2-1', architecture: world.architecture }))
    await packages.apply({ install: [], remove: [], removeVersions })

    expect(await packages.installed('kernel-core')).toMatchObject({ version: '5.1-1', others: [] })
    expect(world.read('/boot/vmlinuz-5.2-1')).toBeUndefined()
    expect(world.read('/boot/vmlinuz-5.1-1')).toBe('5.1-1')
  })

  test.runIf(isThere && isDnf)(
    'goes back to a kernel that is there by removing what came after it, and brings that again',
    { timeout: SLOW },
    async () => {
      using world = await offering(make, OFFERS_OF_RPM)
      const { packages } = world
      for (const version of ['5.1-1', '5.2-1', '5.3-1']) await carryOut(world, present('kernel', version))
      expect(await carryOut(world, present('kernel', '5.1-1'))).toEqual([
        { ...step('kernel', '5.3-1', '5.1-1'), leaving: ['5.2-1', '5.3-1'] },
        { ...step('kernel-core', '5.3-1', '5.1-1'), leaving: ['5.2-1', '5.3-1'] },
      ])
      expect(await packages.installed('kernel-core')).toMatchObject({ version: '5.1-1', others: [] })

      const back = await packages.fetch({ name: 'kernel-core', version: '5.2-1', architecture: world.architecture })
      await packages.apply({ install: [back ?? ''], remove: [] })
      expect(await packages.installed('kernel-core')).toMatchObject({ version: '5.2-1', others: ['5.1-1'], complete: true })
    },
  )

  test.runIf(isThere && isDnf)(
    'finishes a kernel whose installation was interrupted, and no other kernel goes for it',
    { timeout: SLOW },
    async () => {
      using world = await offering(make, OFFERS_OF_RPM)
      const { packages } = world
      await carryOut(world, present('kernel-core', '5.1-1'))
      await packages.resolve([present('kernel-core', '5.3-1')], { upcoming: NOTHING })
      const coming = { name: 'kernel-core', version: '5.3-1', architecture: world.architecture }
      await world.interrupt((await packages.fetch(coming)) ?? '')
      expect(await packages.installed('kernel-core')).toMatchObject({ version: '5.3-1', complete: false })
      await packages.repair()

      expect(await packages.installed('kernel-core')).toMatchObject({ version: '5.3-1', others: ['5.1-1'], complete: true })
      expect(world.read('/boot/vmlinuz-5.1-1')).toBe('5.1-1')
    },
  )

  test.runIf(isThere && isDnf)('refuses two versions of one kernel at once', { timeout: SLOW }, async () => {
    using world = await offering(make, OFFERS_OF_RPM)
    await carryOut(world, present('kernel', '5.1-1'))

    await expect(
      world.packages.resolve([present('kernel', '5.2-1'), present('kernel-core', '5.3-1')], { upcoming: NOTHING }),
    ).rejects.toMatchObject({ reason: 'PackageConflict' })
  })

  test.runIf(isThere && isDnf)('removes all versions of a kernel that is to be absent', { timeout: SLOW }, async () => {
    using world = await offering(make, OFFERS_OF_RPM)
    for (const version of ['5.1-1', '5.3-1']) await carryOut(world, present('kernel-core', version))
    expect(await carryOut(world, absent('kernel-core'))).toEqual([
      { ...step('kernel-core', '5.3-1', undefined), leaving: ['5.1-1', '5.3-1'] },
    ])

    expect(await world.packages.installed('kernel-core')).toBeUndefined()
  })

  test.runIf(isThere && kind.startsWith('real') && isDnf)(
    'manages a package of a second architecture by its name with it',
    { timeout: SLOW },
    async () => {
      using world = await offering(make, OFFERS_OF_RPM)
      const { packages } = world
      await carryOut(world, present('libx', '1.0-1'))
      expect(await carryOut(world, present('libx.i686', '1.0-1'))).toEqual([step('libx.i686', undefined, '1.0-1')])
      expect(await packages.installed('libx')).toMatchObject({ version: '1.0-1', architecture: 'x86_64' })
      expect(await packages.installed('libx.i686')).toMatchObject({ version: '1.0-1', architecture: 'i686' })
      expect(await packages.files('libx.i686')).toEqual(['/usr/lib/libx.so.1.0-1'])

      await packages.hold('libx.i686', true)
      expect([(await packages.installed('libx'))?.held, (await packages.installed('libx.i686'))?.held]).toEqual([false, true])
      expect(await packages.held()).toEqual(['libx.i686'])
      await packages.hold('libx.i686', false)

      const up = await carryOut(world, present('libx', '2.0-1'), present('libx.i686', '2.0-1'))
      expect(up).toEqual([step('libx', '1.0-1', '2.0-1'), step('libx.i686', '1.0-1', '2.0-1')])
      expect(await carryOut(world, absent('libx.i686'))).toEqual([step('libx.i686', '2.0-1', undefined)])
      expect(await packages.installed('libx')).toMatchObject({ version: '2.0-1', complete: true })
      expect(await packages.installed('libx.i686')).toBeUndefined()
      await carryOut(world, present('libx.i686', '2.0-1'))
      // dnf keeps no package of a second architecture without that of the first.
      const without = await packages.resolve([absent('libx')], { upcoming: NOTHING })
      expect(without.map(({ name, to }) => [name, to]).toSorted()).toEqual([
        ['libx', undefined],
        ['libx.i686', undefined],
      ])
    },
  )
})

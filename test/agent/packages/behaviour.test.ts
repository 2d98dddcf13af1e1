import { release } from 'node:os'
import { afterAll, describe, expect, test } from 'vitest'
import type { PackageStep, PackageWish } from '../../../src/agent/package-manager.ts'
import { arrivals } from '../../../src/agent/resources/package-steps.ts'
import type { PackageDefinition } from '../../../src/sim/host/package-solver.ts'
import { SimulatedPackages } from '../../../src/sim/host/simulated-packages.ts'
import { type PackageWorld, simulatedApt, simulatedDnf, simulatedZypper } from './package-world.ts'
import { hasApt, realApt } from './real-apt.ts'
import { closeWorkshop, hasDnf, hasDnf5, hasZypper, realDnf, realDnf5, realZypper } from './real-rpm.ts'

const NOTHING: ReadonlyMap<string, Uint8Array> = new Map()

const OFFERS: readonly PackageDefinition[] = [
  {
    name: 'tool',
    version: '1.0-1',
    files: { '/usr/bin/tool': 'tool 1.0\n', '/etc/tool.conf': 'one\n' },
    conffiles: ['/etc/tool.conf'],
  },
  {
    name: 'tool',
    version: '1:1.1-1',
    files: { '/usr/bin/tool': 'tool 1.1\n', '/etc/tool.conf': 'two\n' },
    conffiles: ['/etc/tool.conf'],
  },
  { name: 'lib', version: '1.0-1', files: { '/usr/lib/lib.so': 'lib 1.0\n' } },
  { name: 'lib', version: '2.0-1', files: { '/usr/lib/lib.so': 'lib 2.0\n' } },
  { name: 'app', version: '1.0-1', depends: ['lib'], files: { '/usr/bin/app': 'app 1.0\n' } },
  { name: 'app', version: '2.0-1', depends: ['lib 2.0-1'], files: { '/usr/bin/app': 'app 2.0\n' } },
  { name: 'broken', version: '1.0-1', files: { '/usr/bin/broken': 'broken\n' }, script: 'fails' },
]

const OFFERS_OF_RPM: readonly PackageDefinition[] = [
  ...['5.1-1', '5.2-1', '5.3-1'].flatMap(kernelOf),
  ...['1.0-1', '2.0-1'].map((version) => ({
    name: 'libx',
    version,
    architecture: 'i686' as const,
    files: { [`/usr/lib/libx.so.${version}`]: `32 bits, ${version}\n` },
  })),
  ...['1.0-1', '2.0-1'].map((version) => ({
    name: 'libx',
    version,
    files: { [`/usr/lib64/libx.so.${version}`]: `64 bits, ${version}\n` },
  })),
]

/** As distributions cut it into packages. That of 5.2 is the one that runs. */
function kernelOf(version: string): readonly PackageDefinition[] {
  const image = `/lib/modules/${version === '5.2-1' ? release() : version}/vmlinuz`
  const part = { version, installOnly: true } as const
  return [
    { ...part, name: 'kernel', depends: [`kernel-core = ${version}`], files: { [`/usr/share/doc/kernel-${version}`]: version } },
    { ...part, name: 'kernel-core', files: { [image]: version, [`/boot/vmlinuz-${version}`]: version } },
  ]
}

async function offering(make: () => Promise<PackageWorld>, offers = OFFERS): Promise<PackageWorld> {
  const world = await make()
  world.put(world.source('t'), world.offer('stable', offers))
  return world
}

const present = (name: string, version?: string): PackageWish => ({
  name,
  state: 'present',
  ...(version === undefined ? {} : { version }),
})
const absent = (name: string): PackageWish => ({ name, state: 'absent' })

/** The way of a change, without what the kind adds to it. */
async function carryOut({ packages }: PackageWorld, ...wishes: PackageWish[]): Promise<readonly PackageStep[]> {
  const steps = await packages.resolve(wishes, { upcoming: NOTHING })
  const install: string[] = []
  for (const found of steps)
    for (const version of arrivals(found)) install.push((await packages.fetch({ ...found, version })) ?? `no ${found.name}`)
  await packages.apply({
    install,
    remove: steps.filter(({ to, leaving }) => to === undefined && leaving === undefined).map(({ name }) => name),
    removeVersions: steps.flatMap(({ name, architecture, leaving = [] }) =>
      leaving.map((version) => ({ name, version, architecture })),
    ),
  })
  return steps
    .map(({ name, from, to, leaving }) => ({
      name,
      architecture: '',
      ...(from && { from }),
      ...(to && { to }),
      ...(leaving && { leaving }),
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

const step = (name: string, from: string | undefined, to: string | undefined) => ({
  name,
  architecture: '',
  ...(from && { from }),
  ...(to && { to }),
})
const SLOW = 120_000

afterAll(closeWorkshop)

describe.each([
  ['simulated apt', true, simulatedApt],
  ['real apt', hasApt, realApt],
  ['simulated dnf', true, simulatedDnf],
  ['real dnf', hasDnf, realDnf],
  ['simulated zypper', true, simulatedZypper],
  ['real dnf5', hasDnf5, realDnf5],
  ['real zypper', hasZypper, realZypper],
] as const)('%s', (kind, isThere, make) => {
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

  test.runIf(isThere)(
    'keeps a configuration file that somebody edited, and replaces one that nobody did',
    { timeout: SLOW },
    async () => {
      using world = await offering(make)
      await carryOut(world, present('tool', '1.0-1'))
      await carryOut(world, present('tool', '1:1.1-1'))
      expect(world.read('/etc/tool.conf')).toBe('two\n')
      world.put('/etc/tool.conf', 'edited\n')
      await carryOut(world, present('tool', '1.0-1'))

      expect(world.read('/etc/tool.conf')).toBe('edited\n')
    },
  )

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

  test.runIf(isThere)('does with what was fetched when the repository is gone', { timeout: SLOW }, async () => {
    using world = await offering(make)
    const { packages } = world
    await carryOut(world, present('tool', '1.0-1'))
    const up = await packages.fetch({ name: 'tool', version: '1:1.1-1', architecture: world.architecture })
    world.withdraw('stable')
    await packages.apply({ install: [up ?? ''], remove: [] })
    expect(world.read('/usr/bin/tool')).toBe('tool 1.1\n')

    const down = await packages.fetch({ name: 'tool', version: '1.0-1', architecture: world.architecture })
    await packages.apply({ install: [down ?? ''], remove: [] })
    expect(world.read('/usr/bin/tool')).toBe('tool 1.0\n')
    expect(await carryOut(world, present('tool', '1:1.1-1'))).toEqual([step('tool', '1.0-1', '1:1.1-1')])
    await expect(packages.resolve([present('app', '1.0-1')], { upcoming: NOTHING })).rejects.toMatchObject({
      kind: 'download',
      reason: 'RepositoryUnavailable',
    })
  })

  test.runIf(isThere)('finds a version in a repository that the host does not have yet', { timeout: SLOW }, async () => {
    using world = await offering(make)
    await carryOut(world, present('tool', '1.0-1'))
    const newer = world.offer('newer', [{ name: 'tool', version: '2.0-1', files: { '/usr/bin/tool': 'tool 2.0\n' } }])
    const upcoming = new Map([[world.source('newer'), Buffer.from(newer)]])
    const steps = await world.packages.resolve([present('tool', '2.0-1')], { upcoming })

    expect(steps.map(({ from, to }) => [from, to])).toEqual([['1.0-1', '2.0-1']])
    expect(await world.packages.fetch({ name: 'tool', version: '2.0-1', architecture: world.architecture })).toBe(
      `/var/lib/nodewave/packages/tool_2.0-1_${world.architecture}${world.packages.format.suffix}`,
    )
    expect(world.read(world.source('newer'))).toBeUndefined()
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

  test.runIf(isThere)('is repaired after an interruption, and keeps what somebody edited', { timeout: SLOW }, async () => {
    using world = await offering(make)
    await carryOut(world, present('tool', '1.0-1'))
    world.put('/etc/tool.conf', 'edited\n')
    await world.packages.resolve([present('tool', '1:1.1-1')], { upcoming: NOTHING })
    await world.interrupt(
      (await world.packages.fetch({ name: 'tool', version: '1:1.1-1', architecture: world.architecture })) ?? '',
    )
    expect(await world.packages.installed('tool')).toMatchObject({ version: '1:1.1-1', complete: false })
    await world.packages.repair()

    expect(await world.packages.installed('tool')).toMatchObject({ version: '1:1.1-1', complete: true })
    expect(world.read('/etc/tool.conf')).toBe('edited\n')
  })

  test.runIf(isThere && !isRpm)('packs what is installed again when nobody has its archive', { timeout: SLOW }, async () => {
    using world = await offering(make)
    const { packages } = world
    await carryOut(world, present('tool', '1.0-1'))
    world.put('/etc/tool.conf', 'edited\n')
    world.forget()
    world.put(
      world.source('t'),
      world.offer('newer', [{ name: 'tool', version: '2.0-1', files: { '/usr/bin/tool': 'tool 2.0\n' } }]),
    )
    const archive = { name: 'tool', version: '1.0-1', architecture: world.architecture }
    const back = (await packages.fetch(archive)) ?? ''
    expect((await packages.contents(back)).toSorted()).toEqual(['/etc/tool.conf', '/usr/bin/tool'])
    await carryOut(world, present('tool', '2.0-1'))
    await packages.apply({ install: [back], remove: [] })

    expect(await packages.installed('tool')).toMatchObject({ version: '1.0-1', complete: true })
    expect([world.read('/usr/bin/tool'), world.read('/etc/tool.conf')]).toEqual(['tool 1.0\n', 'edited\n'])
  })

  test.runIf(isThere && isRpm)('has no archive of what is installed when nobody else has it', { timeout: SLOW }, async () => {
    using world = await offering(make)
    await carryOut(world, present('tool', '1.0-1'))
    world.forget()
    world.put(
      world.source('t'),
      world.offer('newer', [{ name: 'tool', version: '2.0-1', files: { '/usr/bin/tool': 'tool 2.0\n' } }]),
    )
    await world.packages.resolve([present('tool', '2.0-1')], { upcoming: NOTHING })

    expect(await world.packages.fetch({ name: 'tool', version: '1.0-1', architecture: world.architecture })).toBeUndefined()
  })

  test.runIf(isThere)('reads what an archive brings, and unpacks it elsewhere', { timeout: SLOW }, async () => {
    using world = await offering(make)
    await world.packages.resolve([present('tool', '1.0-1')], { upcoming: NOTHING })
    const archive = (await world.packages.fetch({ name: 'tool', version: '1.0-1', architecture: world.architecture })) ?? ''
    expect((await world.packages.contents(archive)).toSorted()).toEqual(['/etc/tool.conf', '/usr/bin/tool'])
    await world.packages.unpack(archive, '/var/lib/nodewave/staging/tool')

    expect(world.read('/var/lib/nodewave/staging/tool/usr/bin/tool')).toBe('tool 1.0\n')
    expect(await world.packages.installed('tool')).toBeUndefined()
  })

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

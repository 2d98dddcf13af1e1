import { afterAll, describe, expect, test } from 'vitest'
import { carryOut, KINDS, NOTHING, offering, present, SLOW, step } from './every-manager.ts'
import { closeWorkshop } from './real-rpm.ts'

afterAll(closeWorkshop)

describe.each(KINDS)('%s', (kind, isThere, make) => {
  const isRpm = !kind.endsWith('apt')
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
})

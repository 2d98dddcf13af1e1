/** With the real apt: what dpkg leaves when it dies in the middle of an archive. */
import { expect, test } from 'vitest'
import { hasApt, realApt } from './real-apt.ts'

const OLD = { name: 'tool', version: '1.0-1', files: { '/usr/bin/tool': 'tool 1.0\n' } }
const NEW = { name: 'tool', version: '2.0-1', files: { '/usr/bin/tool': 'tool 2.0\n' }, script: 'kills dpkg' } as const
const NOTHING: ReadonlyMap<string, Uint8Array> = new Map()

test.runIf(hasApt)(
  'apt goes back from a package that dpkg had half unpacked when it was killed',
  { timeout: 60_000 },
  async () => {
    using world = await realApt()
    const { packages } = world
    world.put(world.source('t'), world.offer('stable', [OLD, NEW]))
    const fetched = async (version: string): Promise<string> => {
      await packages.resolve([{ name: 'tool', version, state: 'present' }], { upcoming: NOTHING })
      return (await packages.fetch({ name: 'tool', version, architecture: 'amd64' })) ?? ''
    }
    const [back, next] = [await fetched('1.0-1'), await fetched('2.0-1')]
    await packages.apply({ install: [back], remove: [] })
    await expect(packages.apply({ install: [next], remove: [] })).rejects.toMatchObject({ reason: 'PackageFailed' })
    expect(await packages.isInterrupted()).toBe(true)

    await packages.repair()
    expect(world.read('/var/lib/dpkg/status')).toContain('reinstreq half-installed')
    expect(await packages.installed('tool')).toMatchObject({ complete: false })
    await packages.apply({ install: [back], remove: [] })
    expect(await packages.installed('tool')).toMatchObject({ version: '1.0-1', complete: true })
    expect(world.read('/usr/bin/tool')).toBe('tool 1.0\n')
    expect(await packages.isInterrupted()).toBe(false)
  },
)

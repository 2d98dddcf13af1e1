import { release } from 'node:os'
import type { PackageStep, PackageWish } from '../../../src/agent/package-manager.ts'
import { arrivals } from '../../../src/agent/resources/package-steps.ts'
import type { PackageDefinition } from '../../../src/sim/host/package-solver.ts'
import { type PackageWorld, simulatedApt, simulatedDnf, simulatedZypper } from './package-world.ts'
import { hasApt, realApt } from './real-apt.ts'
import { hasDnf, hasDnf5, hasZypper, realDnf, realDnf5, realZypper } from './real-rpm.ts'

export const NOTHING: ReadonlyMap<string, Uint8Array> = new Map()

export const OFFERS: readonly PackageDefinition[] = [
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

export const OFFERS_OF_RPM: readonly PackageDefinition[] = [
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

export async function offering(make: () => Promise<PackageWorld>, offers = OFFERS): Promise<PackageWorld> {
  const world = await make()
  world.put(world.source('t'), world.offer('stable', offers))
  return world
}

export const present = (name: string, version?: string): PackageWish => ({
  name,
  state: 'present',
  ...(version === undefined ? {} : { version }),
})
export const absent = (name: string): PackageWish => ({ name, state: 'absent' })

/** The way of a change, without what the kind adds to it. */
export async function carryOut({ packages }: PackageWorld, ...wishes: PackageWish[]): Promise<readonly PackageStep[]> {
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

export const step = (name: string, from: string | undefined, to: string | undefined) => ({
  name,
  architecture: '',
  ...(from && { from }),
  ...(to && { to }),
})
export const SLOW = 120_000

/** Name, whether it is there, and how to make one. */
export const KINDS = [
  ['simulated apt', true, simulatedApt],
  ['real apt', hasApt, realApt],
  ['simulated dnf', true, simulatedDnf],
  ['real dnf', hasDnf, realDnf],
  ['simulated zypper', true, simulatedZypper],
  ['real dnf5', hasDnf5, realDnf5],
  ['real zypper', hasZypper, realZypper],
] as const

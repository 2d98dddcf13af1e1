/** From the packages of a host through its inventory and the repository back to the host, with the real package managers where they are. */
import { afterAll, describe, expect, test } from 'vitest'
import { isAlreadySo } from '../../src/agent/inventory/already-so.ts'
import { readInventory } from '../../src/agent/inventory/read-inventory.ts'
import { statePaths } from '../../src/agent/paths.ts'
import { buildRepository } from '../../src/import/build-repository.ts'
import type { HostDocument } from '../../src/protocol/host-document.ts'
import type { HostInventory } from '../../src/protocol/host-inventory.ts'
import { createRenderer } from '../../src/render/create-renderer.ts'
import type { PackageDefinition } from '../../src/sim/host/package-solver.ts'
import { type PackageWorld, simulatedApt, simulatedDnf, simulatedZypper } from '../agent/packages/package-world.ts'
import { hasApt, realApt } from '../agent/packages/real-apt.ts'
import { closeWorkshop, hasDnf, hasDnf5, hasZypper, realDnf, realDnf5, realZypper } from '../agent/packages/real-rpm.ts'
import { Machine } from '../agent/support/machine.ts'
import { modelOf } from '../repo/fleets.ts'

const OFFERS: readonly PackageDefinition[] = [
  {
    name: 'containerd.io',
    version: '2.1.4-1.el9',
    depends: ['runc'],
    files: { '/usr/bin/containerd': 'containerd\n', '/etc/containerd/config.toml': 'version = 2\n' },
    conffiles: ['/etc/containerd/config.toml'],
  },
  { name: 'runc', version: '1.3.0-1', files: { '/usr/bin/runc': 'runc\n' } },
  {
    name: 'cri-tools',
    version: '1.36.0-150500.1.1',
    files: { '/usr/bin/crictl': 'crictl\n', '/etc/crictl.yaml': 'timeout: 2\n' },
    conffiles: ['/etc/crictl.yaml'],
  },
  { name: 'kubeadm', version: '1.36.3-150500.1.1', files: { '/usr/bin/kubeadm': 'kubeadm\n' } },
  { name: 'tool', version: '1:1.1-1', files: { '/usr/bin/tool': 'tool\n' } },
  { name: 'other', version: '1.0-1', files: { '/usr/bin/other': 'other\n' } },
]
const NODE = { name: 'worker-1', labels: { 'kubernetes.io/os': 'linux' }, taints: [], version: '1.36.3', internalIP: undefined }
const OPTIONS = { node: 'worker-1', arch: 'amd64', layout: 'auto', environmentFile: '/etc/kubernetes/kubelet.env' } as const
const SLOW = 120_000

afterAll(closeWorkshop)

async function install({ packages }: PackageWorld, ...names: string[]): Promise<void> {
  const steps = await packages.resolve(
    names.map((name) => ({ name, state: 'present' })),
    { upcoming: new Map() },
  )
  const archives: string[] = []
  for (const { name, architecture, to = '' } of steps)
    archives.push((await packages.fetch({ name, architecture, version: to })) ?? `no ${name}`)
  await packages.apply({ install: archives, remove: [] })
  await packages.markAutomatic(steps.flatMap(({ name }) => (names.includes(name) ? [] : [name])))
}

/** A host as its administrators leave it. */
async function furnished(make: () => Promise<PackageWorld>): Promise<PackageWorld> {
  const world = await make()
  world.put(world.source('t'), world.offer('stable', OFFERS))
  await install(world, 'containerd.io', 'cri-tools', 'kubeadm', 'tool', 'other')
  await world.lock('kubeadm', '1.36.3-150500.1.1')
  await world.packages.hold('tool', true)
  world.put('/etc/containerd/config.toml', 'version = 3\n')
  return world
}

/** The rest of the host is simulated. */
function handsOf({ files, packages }: PackageWorld) {
  const machine = new Machine()
  return { ...machine.host.process(machine.node).ports, files, packages }
}

function inventoryOf(world: PackageWorld): Promise<HostInventory> {
  return readInventory({ ...handsOf(world), commandOf: async () => [], isSwapOff: async () => false }, OPTIONS)
}

function hostDocumentOf(inventory: HostInventory): HostDocument {
  const { files } = buildRepository([{ node: NODE, inventory }])
  const result = createRenderer(modelOf(files)).render('workers', { ...NODE, arch: 'amd64', osImage: '' })
  if (!result.ok) throw new Error(result.problems.map(({ message }) => message).join('; '))
  return JSON.parse(result.content.host ?? '{}') as HostDocument
}

describe.each([
  ['simulated apt', true, simulatedApt],
  ['real apt', hasApt, realApt],
  ['simulated dnf', true, simulatedDnf],
  ['real dnf', hasDnf, realDnf],
  ['simulated zypper', true, simulatedZypper],
  ['real dnf5', hasDnf5, realDnf5],
  ['real zypper', hasZypper, realZypper],
] as const)('%s', (_, isThere, make) => {
  test.runIf(isThere)(
    'import writes packages of a node and those that are held, and plans no change',
    { timeout: SLOW },
    async () => {
      using world = await furnished(make)
      const inventory = await inventoryOf(world)

      expect(inventory.packages).toEqual([
        { name: 'containerd.io', version: '2.1.4-1.el9', held: false },
        { name: 'cri-tools', version: '1.36.0-150500.1.1', held: false },
        { name: 'kubeadm', version: '1.36.3-150500.1.1', held: true },
        { name: 'tool', version: '1:1.1-1', held: true },
      ])
      const own = world.source('t')
      const configuration = inventory.files.filter(({ path }) => path !== own)
      expect(configuration.map(({ path, content }) => [path, content])).toEqual([
        ['/etc/containerd/config.toml', 'version = 3\n'],
      ])
      // zypper writes its files again by itself.
      expect(inventory.files.length - configuration.length).toBe(own.startsWith('/etc/zypp') ? 0 : 1)

      const { packages, files } = hostDocumentOf(inventory)
      expect(packages).toEqual([
        { name: 'containerd.io' },
        { name: 'cri-tools' },
        { name: 'kubeadm', version: '1.36.3-150500.1.1' },
        { name: 'tool', version: '1:1.1-1' },
      ])
      const host = handsOf(world)
      const place = { files: host.files, arch: 'amd64', paths: statePaths(), manager: 'systemd' } as const
      expect(await isAlreadySo({ section: 'packages', value: packages }, { host, place })).toBe(true)
      expect(await isAlreadySo({ section: 'files', value: files }, { host, place })).toBe(true)
    },
  )
})

describe.each([
  ['real dnf', hasDnf, realDnf],
  ['real dnf5', hasDnf5, realDnf5],
  ['real zypper', hasZypper, realZypper],
] as const)('%s', (_, isThere, make) => {
  test.runIf(isThere)(
    'import names a kernel that is held, and leaves out what else is there in two versions',
    { timeout: SLOW },
    async () => {
      using world = await make()
      const offer = (name: string, version: string) => ({ name, version, files: { [`/opt/${name}-${version}`]: name } })
      world.offer('stable', [offer('kernel', '6.1-1'), offer('multi', '1.0-1'), offer('multi', '2.0-1'), offer('tool', '1.0-1')])
      await world.run('sh', ['-c', 'rpm -i --nosignature /srv/stable/*.rpm'])
      for (const name of ['kernel', 'multi', 'tool']) await world.packages.hold(name, true)

      expect(await world.packages.installed('multi')).toMatchObject({ held: true })
      expect((await world.packages.held()).toSorted()).toEqual(['kernel', 'tool'])
    },
  )
})

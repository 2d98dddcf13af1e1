import { expect, test } from 'vitest'
import { sha256Of } from '../../../src/agent/sha256.ts'
import type { NodeContent } from '../../../src/protocol/digest.ts'
import { BAD_FLAGS, expectSameEndAfterDeath, expectWholeOnFullDisk, hostOf } from '../support/kind-stories.ts'
import { Machine } from '../support/machine.ts'
import { makeTarGz, type TarInput } from '../support/make-tar.ts'

const MINUTE = 60_000

const V1: TarInput[] = [
  { path: './', type: '5' },
  { path: './bridge', content: 'bridge 1\n', mode: 0o755 },
  { path: './vlan', content: 'vlan 1\n', mode: 0o755 },
]
const V2: TarInput[] = [
  { path: './bridge', content: 'bridge 2\n', mode: 0o755 },
  { path: './tap', content: 'tap 2\n', mode: 0o755 },
  { path: './current', type: '2', target: 'bridge' },
]

/** A host with one plugin of its own, and one that the archive has as well. */
function machineWithPlugins(): Machine {
  const machine = new Machine()
  machine.host.files.put('/opt/cni/bin/own', 'own\n', { mode: 0o755 })
  machine.host.files.put('/opt/cni/bin/bridge', 'bridge of the distribution\n', { mode: 0o700, uid: 7 })
  return machine
}

function published(machine: Machine, members: readonly TarInput[]) {
  const bytes = makeTarGz(members)
  const sha256 = sha256Of(bytes)
  const url = `https://releases.test/${sha256}.tgz`
  machine.artifacts.set(url, bytes)
  return { name: 'cni', url, sha256, directory: '/opt/cni/bin' }
}

function host(...archives: object[]): NodeContent {
  return { host: JSON.stringify({ archives }) }
}

const plugins = ({ host: { files } }: Machine) =>
  Object.fromEntries(Object.entries(files.snapshot()).filter(([path]) => path.startsWith('/opt/cni/')))

test('archive is unpacked, replaced by another version, and given back', async () => {
  const machine = machineWithPlugins()
  const before = await hostOf(machine)
  machine.start()
  await machine.untilDigest(machine.assign(host(published(machine, V1))), 'Applied')
  expect(plugins(machine)).toEqual({
    '/opt/cni/bin/bridge': '755 0:0 bridge 1\n',
    '/opt/cni/bin/own': '755 0:0 own\n',
    '/opt/cni/bin/vlan': '755 0:0 vlan 1\n',
  })
  await machine.untilDigest(machine.assign(host(published(machine, V2))), 'Applied')
  expect(plugins(machine)).toEqual({
    '/opt/cni/bin/bridge': '755 0:0 bridge 2\n',
    '/opt/cni/bin/current': '-> bridge',
    '/opt/cni/bin/own': '755 0:0 own\n',
    '/opt/cni/bin/tap': '755 0:0 tap 2\n',
  })
  machine.annotate(null)
  await machine.until('Reverted')

  expect(await hostOf(machine)).toEqual(before)
  expect(await machine.host.files.list('/var/lib/nodewave/store')).toEqual([])
})

test('archive has what drifted put back without a network, and restarts nothing for it', async () => {
  const machine = machineWithPlugins()
  machine.start()
  const archive = { ...published(machine, V1), directory: '/usr/local/lib/cni' }
  await machine.untilDigest(machine.assign(host(archive)), 'Applied')
  await machine.clock.advance(11 * MINUTE)
  machine.artifacts.clear()
  machine.host.files.put('/usr/local/lib/cni/bridge', 'worse\n')
  await machine.host.files.remove('/usr/local/lib/cni/vlan')
  await machine.clock.advance(6 * MINUTE)

  expect(machine.host.files.text('/usr/local/lib/cni/bridge')).toBe('bridge 1\n')
  expect(machine.host.files.text('/usr/local/lib/cni/vlan')).toBe('vlan 1\n')
  expect(machine.status?.drift).toBeUndefined()
})

test('archive whose plugins the runtime reads is not repaired by itself, but reported', async () => {
  const machine = machineWithPlugins()
  machine.start()
  await machine.untilDigest(machine.assign(host(published(machine, V1))), 'Applied')
  await machine.host.files.remove('/opt/cni/bin/vlan')
  await machine.clock.advance(6 * MINUTE)

  expect(machine.status?.drift).toEqual(['/opt/cni/bin/vlan'])
})

test('archive that goes bad in its trial gives way to the one before, without a network', async () => {
  const machine = machineWithPlugins()
  machine.start()
  const good = machine.assign(host(published(machine, V1)))
  await machine.untilDigest(good, 'Applied')
  await machine.clock.advance(11 * MINUTE)
  await machine.untilDigest(machine.assign({ ...host(published(machine, V2)), flags: '--v=4' }), 'Applied')
  machine.artifacts.clear()
  machine.host.injectCrash(({ args }) => (args.includes('--v=4') ? 'panic: out of luck' : undefined))
  await machine.clock.advance(5 * MINUTE)

  expect(await machine.until('RolledBack')).toMatchObject({ active: good })
  expect(machine.host.files.text('/opt/cni/bin/bridge')).toBe('bridge 1\n')
  expect(machine.host.files.text('/opt/cni/bin/tap')).toBeUndefined()
})

test('unit restarts when a file of an archive changes that it names', async () => {
  const machine = machineWithPlugins()
  machine.start()
  const withUnit = (members: readonly TarInput[]) => ({
    host: JSON.stringify({
      archives: [{ ...published(machine, members), directory: '/usr/local/bin' }],
      units: [{ name: 'containerd.service', restartOn: ['/usr/local/bin/bridge'] }],
    }),
  })
  await machine.untilDigest(machine.assign(withUnit(V1)), 'Applied')
  const { mainPid } = await machine.host.services.show('containerd.service')
  await machine.untilDigest(machine.assign(withUnit(V2)), 'Applied')

  expect((await machine.host.services.show('containerd.service')).mainPid).not.toBe(mainPid)
})

test('archive takes the checksum and the address of its architecture', async () => {
  const machine = machineWithPlugins()
  const { sha256, url, ...rest } = published(machine, V1)
  machine.artifacts.set('https://releases.test/cni-amd64.tgz', machine.artifacts.get(url) ?? new Uint8Array())
  machine.start()
  machine.assign(host({ ...rest, url: 'https://releases.test/cni-{{arch}}.tgz', sha256: { amd64: sha256 } }))
  await machine.until('Applied')
  machine.assign(host({ ...rest, url: 'https://releases.test/cni-{{arch}}.tgz', sha256: { arm64: sha256 } }))

  expect((await machine.until('RolledBack')).error).toEqual({
    reason: 'VersionNotAvailable',
    message: 'failed to validate config: bring "cni" onto the host: it has no checksum for amd64',
  })
})

test.each<[string, (machine: Machine) => object, string]>([
  ['leads out of its directory', (machine) => ({ archives: [published(machine, [{ path: '../x' }])] }), 'ArchiveRefused'],
  [
    'has a file that is managed as well',
    (machine) => ({ archives: [published(machine, V1)], files: [{ path: '/opt/cni/bin/bridge', content: 'x' }] }),
    'PathClaimedTwice',
  ],
  [
    'is unpacked into the state of the agent',
    (machine) => ({ archives: [{ ...published(machine, V1), directory: '/var/lib/nodewave/store' }] }),
    'PathNotAllowed',
  ],
  [
    'would replace the kubelet',
    (machine) => ({ archives: [{ ...published(machine, [{ path: 'kubelet' }]), directory: '/usr/bin' }] }),
    'PathNotAllowed',
  ],
  [
    'has files where a directory is',
    (machine) => ({ archives: [{ ...published(machine, [{ path: 'bin' }]), directory: '/opt/cni' }] }),
    'NotARegularFile',
  ],
])('archive that %s is refused, and the host stays as it is', async (_, document, reason) => {
  const machine = machineWithPlugins()
  const before = machine.hostFiles()
  machine.start()
  machine.assign({ host: JSON.stringify(document(machine)) })

  expect((await machine.until('RolledBack')).error?.reason).toBe(reason)
  expect(machine.hostFiles()).toEqual(before)
})

test('archive that the policy of the host forbids is not downloaded', async () => {
  const machine = machineWithPlugins()
  machine.host.files.put('/etc/nodewave/policy.yaml', 'urlHosts: [mirror.test]\n')
  machine.start()
  machine.assign(host(published(machine, V1)))

  expect((await machine.until('RolledBack')).error?.reason).toBe('HostPolicy')
  expect(Object.keys(machine.host.files.snapshot()).filter((path) => /store|staging/.test(path))).toEqual([])
})

test('archive that cannot be downloaded is tried again', async () => {
  const machine = machineWithPlugins()
  const archive = published(machine, V1)
  const bytes = machine.artifacts.get(archive.url) ?? new Uint8Array()
  machine.artifacts.clear()
  machine.start()
  machine.assign(host(archive))
  await machine.clock.advance(MINUTE)
  expect(machine.status?.error?.reason).toBe('DownloadFailed')
  machine.artifacts.set(archive.url, bytes)

  await machine.until('Applied')
})

const scene = {
  machine: machineWithPlugins,
  content: (machine: Machine) => host(published(machine, V2)),
}

test('archive comes to the same end when the agent or the machine dies after any effect', () =>
  expectSameEndAfterDeath(scene, { flags: '--v=3', phase: 'Applied' }))

test('archive is taken back when the kubelet crashes, also when the agent dies after any effect', () =>
  expectSameEndAfterDeath(scene, { flags: BAD_FLAGS, phase: 'RolledBack', deaths: [{}] }))

test('archive is there whole, or not at all, when the disk is full from any effect on', () => expectWholeOnFullDisk(scene))

test('archive that is refused is named without the credentials of its address', async () => {
  const machine = new Machine()
  const { url, ...rest } = published(machine, [{ path: '../x' }])
  const secret = `${url.replace('https://', 'https://user:hunter2@')}?sig=hunter2`
  machine.artifacts.set(secret, machine.artifacts.get(url) ?? new Uint8Array())
  machine.start()
  machine.assign(host({ ...rest, url: secret }))

  const { error } = await machine.until('RolledBack')
  expect(error?.reason).toBe('ArchiveRefused')
  expect(JSON.stringify(machine.status)).not.toContain('hunter2')
})

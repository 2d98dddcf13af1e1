import { expect, test } from 'vitest'
import { sha256Of } from '../../../src/agent/sha256.ts'
import type { NodeContent } from '../../../src/protocol/digest.ts'
import { BAD_FLAGS, expectSameEndAfterDeath, expectWholeOnFullDisk, hostOf } from '../support/kind-stories.ts'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000

const TOOL = Buffer.from('tool\n')
const DOWNLOAD = { url: 'https://releases.test/tool', sha256: sha256Of(TOOL) }

/** A host with a directory, a link and a file that are about to be managed. */
function furnished(): Machine {
  const machine = new Machine({ units: ['containerd.service', 'chrony.service'] })
  const { files } = machine.host
  void files.makeDirectory('/srv/cache', { mode: 0o700, uid: 7, gid: 8 })
  void files.link('/etc/localtime', '/usr/share/zoneinfo/UTC')
  files.put('/usr/local/bin/tool', 'old tool\n', { mode: 0o755 })
  machine.artifacts.set(DOWNLOAD.url, TOOL)
  return machine
}

const DOCUMENT = {
  directories: [
    { path: '/srv/cache', mode: '0750', owner: 'kube', group: 'kube' },
    { path: '/srv/new/deep', mode: '0711' },
    { path: '/srv/new' },
  ],
  links: [
    { path: '/etc/localtime', target: '/usr/share/zoneinfo/Europe/Zurich' },
    { path: '/opt/tools/current', target: '/opt/tools/v2' },
  ],
  files: [
    { path: '/usr/local/bin/tool', mode: '0755', download: DOWNLOAD },
    { path: '/srv/new/deep/file', content: 'x' },
  ],
  units: [{ name: 'chrony.service', state: 'stopped', enabled: false, masked: true }],
}
const content = (more: object = {}): NodeContent => ({ host: JSON.stringify({ ...DOCUMENT, ...more }) })

test('directories, links, downloads and masks are made, and given back', async () => {
  const machine = furnished()
  const before = await hostOf(machine)
  machine.start()
  machine.assign(content())
  await machine.until('Applied')
  const { files, directories } = await hostOf(machine)
  expect(files).toMatchObject({
    '/etc/localtime': '-> /usr/share/zoneinfo/Europe/Zurich',
    '/etc/systemd/system/chrony.service': '-> /dev/null',
    '/opt/tools/current': '-> /opt/tools/v2',
    '/srv/new/deep/file': '644 0:0 x',
    '/usr/local/bin/tool': '755 0:0 tool\n',
  })
  expect(directories).toMatchObject({ '/srv/cache': '750 992:991', '/srv/new': '755 0:0', '/srv/new/deep': '711 0:0' })
  expect(await machine.host.services.show('chrony.service')).toMatchObject({ enabled: false, active: 'inactive' })
  machine.annotate(null)
  await machine.until('Reverted')

  expect(await hostOf(machine)).toEqual(before)
})

test('directory that is managed stays when the file goes that was made with it', async () => {
  const machine = new Machine()
  machine.start()
  const file = { path: '/srv/data/file', content: 'x' }
  await machine.untilDigest(machine.assign({ host: JSON.stringify({ files: [file] }) }), 'Applied')
  const both = { files: [file], directories: [{ path: '/srv/data' }] }
  await machine.untilDigest(machine.assign({ host: JSON.stringify(both) }), 'Applied')
  await machine.untilDigest(machine.assign({ host: JSON.stringify({ directories: both.directories }) }), 'Applied')
  expect(machine.host.files.directories()).toContain('/srv/data')
  machine.annotate(null)
  await machine.until('Reverted')

  expect(machine.host.files.directories()).not.toContain('/srv')
})

test('directory in which somebody has put something stays when it is given back', async () => {
  const machine = new Machine()
  machine.start()
  await machine.untilDigest(machine.assign({ host: JSON.stringify({ directories: [{ path: '/srv/data' }] }) }), 'Applied')
  machine.host.files.put('/srv/data/theirs', 'theirs')
  machine.annotate(null)
  await machine.until('Reverted')

  expect(machine.host.files.text('/srv/data/theirs')).toBe('theirs')
})

test('directories, links and downloads that somebody changed are as assigned again, without a network', async () => {
  const machine = furnished()
  machine.start()
  machine.assign(content())
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  const applied = await hostOf(machine)
  machine.artifacts.clear()
  const { files } = machine.host
  await files.makeDirectory('/srv/cache', { mode: 0o777 })
  await files.link('/etc/localtime', '/usr/share/zoneinfo/UTC')
  await files.remove('/opt/tools/current')
  files.put('/usr/local/bin/tool', 'worse\n')
  await machine.clock.advance(6 * MINUTE)

  expect(await hostOf(machine)).toEqual(applied)
  expect(machine.status?.drift).toBeUndefined()
})

test.each<[string, object, string]>([
  ['a directory where a file is', { directories: [{ path: '/usr/local/bin/tool' }] }, 'NotADirectory'],
  ['a link where a file is', { links: [{ path: '/usr/local/bin/tool', target: '/bin/true' }] }, 'NotALink'],
  ['a link where a directory is', { links: [{ path: '/srv/cache', target: '/tmp' }] }, 'NotALink'],
  ['a file where a link is', { files: [{ path: '/etc/localtime', content: 'x' }] }, 'NotARegularFile'],
  [
    'a link and a file in one place',
    { links: [{ path: '/etc/x', target: '/y' }], files: [{ path: '/etc/x', content: 'x' }] },
    'PathClaimedTwice',
  ],
  [
    'a file behind a link',
    { links: [{ path: '/etc/x', target: '/var/lib/kubelet' }], files: [{ path: '/etc/x/config.yaml', content: 'x' }] },
    'PathNotAllowed',
  ],
  ['a link in the place of the kubelet', { links: [{ path: '/usr/bin/kubelet', target: '/opt/kubelet' }] }, 'PathNotAllowed'],
  [
    'a link in the state of the agent',
    { links: [{ path: '/var/lib/nodewave/journal.jsonl', target: '/dev/null' }] },
    'PathNotAllowed',
  ],
  ['a relative link', { links: [{ path: '/etc/x', target: '../y' }] }, 'MalformedHostDocument'],
  [
    'a download without a checksum of this architecture',
    { files: [{ path: '/x', download: { ...DOWNLOAD, sha256: { arm64: DOWNLOAD.sha256 } } }] },
    'VersionNotAvailable',
  ],
])('assignment with %s is refused, and the host stays as it is', async (_, document, reason) => {
  const machine = furnished()
  const before = await hostOf(machine)
  machine.start()
  machine.assign({ host: JSON.stringify(document) })

  expect((await machine.until('RolledBack')).error?.reason).toBe(reason)
  expect(await hostOf(machine)).toEqual(before)
})

test('link that leads where the policy of the host allows nothing is refused', async () => {
  const machine = furnished()
  machine.host.files.put('/etc/nodewave/policy.yaml', 'paths: [/opt]\n')
  machine.start()
  machine.assign({ host: JSON.stringify({ links: [{ path: '/opt/x', target: '/etc/shadow' }] }) })

  expect((await machine.until('RolledBack')).error?.reason).toBe('HostPolicy')
})

test('download whose copy in the store was damaged is not written, but reported', async () => {
  const machine = furnished()
  machine.start()
  machine.assign(content())
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  machine.host.files.put(`/var/lib/nodewave/store/${DOWNLOAD.sha256}`, 'damaged')
  machine.host.files.put('/usr/local/bin/tool', 'worse\n')
  await machine.clock.advance(12 * MINUTE)

  expect(machine.host.files.text('/usr/local/bin/tool')).toBe('worse\n')
  expect(machine.status?.drift).toEqual(['/usr/local/bin/tool'])
})

const scene = { machine: furnished, content: () => content() }

test('directories, links, downloads and masks come to the same end when the agent or the machine dies after any effect', () =>
  expectSameEndAfterDeath(scene, { flags: '--v=3', phase: 'Applied' }))

test('directories, links, downloads and masks are taken back when the kubelet crashes, also when the agent dies meanwhile', () =>
  expectSameEndAfterDeath(scene, { flags: BAD_FLAGS, phase: 'RolledBack', deaths: [{}] }))

test('directories, links, downloads and masks are there whole, or not at all, when the disk is full from any effect on', () =>
  expectWholeOnFullDisk(scene))

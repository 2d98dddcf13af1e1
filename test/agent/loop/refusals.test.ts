import { expect, test } from 'vitest'
import { ALL_KINDS, Kinds } from '../../../src/agent/resources/kinds.ts'
import { MemoryFiles } from '../../../src/sim/host/memory-files.ts'
import { Machine } from '../support/machine.ts'

async function calm(machine = new Machine()) {
  machine.start()
  await machine.clock.advance(5000)
  const { mainPid } = await machine.host.services.show('kubelet.service')
  const before = machine.hostFiles()
  const untouched = async () => {
    expect(machine.hostFiles()).toEqual(before)
    expect((await machine.host.services.show('kubelet.service')).mainPid).toBe(mainPid)
  }
  return { machine, untouched }
}

test.each([
  ['is not JSON', 'not json', 'failed to load config: desired-config is not JSON: "not json"'],
  [
    'has a malformed value',
    '{"KUBELET_VERSION": 136}',
    'failed to load config: desired-config key "KUBELET_VERSION" is malformed: found "136"',
  ],
])('agent leaves the node as it is and says why when the annotation %s', async (_, text, message) => {
  const { machine, untouched } = await calm()
  machine.annotate(text)

  const status = await machine.until('RolledBack')

  expect(status.error).toEqual({ reason: 'MalformedDesiredConfig', message })
  await untouched()
})

test('agent never applies a payload whose digest does not match, and goes on when it does', async () => {
  const { machine, untouched } = await calm()
  const digest = machine.assign({ flags: '--v=3' })
  const name = [...machine.node.configMaps.keys()][0] ?? ''
  machine.node.configMaps.set(name, { 'kubelet-flags': '--v=9' })

  const status = await machine.until('Fetching')

  expect(status.error?.reason).toBe('DigestMismatch')
  expect(status.error?.message).toMatch(/^failed to sync: failed to download config: verify the digest: the annotation says "v1:/)
  await machine.clock.advance(120_000)
  await untouched()
  expect(machine.node.patches).toHaveLength(1)
  machine.node.configMaps.set(name, { 'kubelet-flags': '--v=3' })
  expect(await machine.until('Applied')).toMatchObject({ digest })
})

test('agent waits for a ConfigMap that is not there yet', async () => {
  const { machine, untouched } = await calm()
  machine.annotate({ KUBELET_CONFIG: 'later' })
  const status = await machine.until('Fetching')
  expect(status.error).toEqual({
    reason: 'DownloadFailed',
    message: 'failed to sync: failed to download config: configmaps "later" not found',
  })
  await untouched()
  machine.node.configMaps.set('nodewave-system/later', { 'kubelet-flags': '--v=3' })

  expect((await machine.until('Applied')).error).toBeUndefined()
})

test('agent asks for a grant and touches nothing when the change disturbs more than was granted', async () => {
  const { machine, untouched } = await calm()
  machine.assign({ flags: '--v=3' }, { GRANT: 'none' })

  expect(await machine.until('Blocked')).toMatchObject({ needs: 'restart' })
  await untouched()
  machine.assign({ flags: '--v=3' }, { GRANT: 'restart' })
  expect(await machine.until('Applied')).not.toHaveProperty('needs')
})

test('agent changes what needs no restart when it is granted none', async () => {
  const { machine } = await calm()
  machine.assign({ host: JSON.stringify({ files: [{ path: '/etc/motd', content: 'hello\n' }] }) }, { GRANT: 'none' })
  await machine.until('Applied')

  expect(machine.host.files.text('/etc/motd')).toBe('hello\n')
})

test.each([
  [
    'a package of a manager it does not have',
    { kubelet: { package: { manager: 'zypper', name: 'kubelet', version: '1' } } },
    'UnsupportedHostResource',
    'it is for zypper, and the packages of this host are managed by apt',
  ],
  [
    'a layout that the host does not have',
    { kubelet: { layout: 'managed' } },
    'LayoutMismatch',
    'belongs to a kubelet that a package installed',
  ],
  [
    'one path twice',
    {
      files: [
        { path: '/etc/a', content: '' },
        { path: '/etc/a', content: '' },
      ],
    },
    'PathClaimedTwice',
    'manage "/etc/a"',
  ],
  [
    "the agent's memory",
    { files: [{ path: '/var/lib/nodewave/meta/active', content: '' }] },
    'PathNotAllowed',
    'it belongs to the agent',
  ],
  [
    'the policy of the host',
    { files: [{ path: '/etc/nodewave/policy.yaml', content: '' }] },
    'PathNotAllowed',
    'the owner of the host limits the agent there',
  ],
  [
    "the agent's own unit",
    { files: [{ path: '/etc/systemd/system/nodewave-agent.service', content: '' }] },
    'PathNotAllowed',
    "it is the agent's own unit",
  ],
  [
    'a file of nobody',
    { files: [{ path: '/etc/a', content: '', owner: 'nobody-knows' }] },
    'UnknownOwner',
    '/etc/passwd has no such name',
  ],
  ['a file without content', { files: [{ path: '/etc/a' }] }, 'MalformedHostDocument', 'gives it no content'],
  ['a relative path', { files: [{ path: 'etc/a', content: '' }] }, 'MalformedHostDocument', 'host document: files.0.path'],
  ['a directory', { files: [{ path: '/etc/kubernetes', content: '' }] }, 'NotARegularFile', 'it is a directory'],
])('agent refuses a host document that asks for %s', async (_, document, reason, message) => {
  const machine = new Machine()
  machine.host.files.put('/etc/kubernetes/kubelet.conf', 'x')
  const { untouched } = await calm(machine)
  machine.assign({ flags: '--v=3', host: JSON.stringify(document) })

  const { error } = await machine.until('RolledBack')

  expect(error?.reason).toBe(reason)
  expect(error?.message).toContain(message)
  await untouched()
})

test('agent refuses a host document that asks for a kind it does not have', async () => {
  const kinds = new Kinds(ALL_KINDS.filter(({ name }) => name !== 'sysctl'))
  const { machine, untouched } = await calm(new Machine({ kinds }))
  machine.assign({ flags: '--v=3', host: JSON.stringify({ sysctls: { 'vm.swappiness': '0' } }) })

  const { error } = await machine.until('RolledBack')

  expect(error?.reason).toBe('UnsupportedHostResource')
  expect(error?.message).toContain('this agent has no sysctls')
  await untouched()
})

test('agent refuses a version that no release brings, instead of restarting the old one', async () => {
  const { machine, untouched } = await calm()
  machine.assign({ version: '1.36.3' })

  const { error } = await machine.until('RolledBack')

  expect(error?.reason).toBe('VersionNotAvailable')
  expect(error?.message).toContain('"/usr/bin/kubelet" is v1.35.4')
  await untouched()
})

test('agent refuses a release whose binary is another version than it says', async () => {
  const { machine, untouched } = await calm()
  machine.assign({ version: '1.36.3', host: JSON.stringify({ kubelet: machine.release('1.36.2') }) })

  expect((await machine.until('RolledBack')).error?.reason).toBe('VersionNotAvailable')
  await untouched()
})

test('agent refuses a release without a binary for its machine', async () => {
  const { machine, untouched } = await calm()
  const { amd64: artifact } = machine.release('1.36.3').binary ?? {}
  if (artifact === undefined) throw new Error('no artifact')
  machine.assign({ version: '1.36.3', host: JSON.stringify({ kubelet: { binary: { arm64: artifact } } }) })

  expect((await machine.until('RolledBack')).error?.reason).toBe('NoBinaryForArchitecture')
  await untouched()
})

test('agent refuses a kubelet configuration that is none', async () => {
  const { machine, untouched } = await calm()
  machine.assign({ config: 'kind: Pod\n' })

  expect((await machine.until('RolledBack')).error).toEqual({
    reason: 'MalformedKubeletConfig',
    message:
      'failed to load config: read the kubelet configuration of the ConfigMap: kind is "Pod", expected "KubeletConfiguration"',
  })
  await untouched()
})

test.each([
  [
    'has a kind that this agent does not know',
    { lamps: [] },
    'failed to load config: host document: this agent knows no lamps; remove it, or upgrade the agent',
  ],
  [
    'says something of a file that this agent does not know',
    { files: [{ path: '/etc/motd', content: '', label: 'etc_t' }] },
    'failed to load config: host document: this agent knows no files.0.label; remove it, or upgrade the agent',
  ],
])('agent applies nothing of a host document that %s', async (_, host, message) => {
  const { machine, untouched } = await calm()
  machine.assign({ host: JSON.stringify(host), flags: '--v=3' })

  expect((await machine.until('RolledBack')).error).toEqual({ reason: 'MalformedHostDocument', message })
  await untouched()
})

test.each(['/etc//motd', '/etc/./motd', '/etc/motd/', '//var/lib/nodewave/meta/active', '/x\n/../etc/motd', '/..', 'etc/motd'])(
  'agent takes no path that can be spelt in another way: %j',
  async (path) => {
    const { machine, untouched } = await calm()
    machine.assign({ host: JSON.stringify({ files: [{ path, content: 'x' }] }) })

    expect((await machine.until('RolledBack')).error?.reason).toBe('MalformedHostDocument')
    await untouched()
  },
)

test('agent does not restart itself, and says how its drop-ins can be brought', async () => {
  const { machine, untouched } = await calm(new Machine({ units: ['nodewave-agent.service'] }))
  const dropIns = { '10-proxy.conf': '[Service]\nEnvironment=HTTPS_PROXY=http://proxy\n' }
  machine.assign({ host: JSON.stringify({ units: [{ name: 'nodewave-agent.service', dropIns }] }) })

  expect((await machine.until('RolledBack')).error).toEqual({
    reason: 'UnitNotAllowed',
    message:
      'failed to validate config: manage "nodewave-agent.service": an agent cannot restart itself; write its drop-ins as files, they count when it is started next',
  })
  await untouched()
})

test('agent touches nothing over a journal that another version wrote until something else is assigned', async () => {
  const machine = new Machine()
  machine.host.files.put('/var/lib/nodewave/journal.jsonl', '{"at":"begin","id":"t1","purpose":"reimage"}\n')
  machine.host.files.put('/var/lib/nodewave/backups/t1/0', 'the original')
  machine.assign({ flags: '--v=3' })
  const { untouched } = await calm(machine)
  await machine.clock.advance(5 * 60_000)

  expect(machine.status).toMatchObject({ phase: 'Failed', error: { reason: 'JournalUnreadable' } })
  expect(machine.host.files.text('/var/lib/nodewave/backups/t1/0')).toBe('the original')
  await untouched()
  await machine.untilDigest(machine.assign({ flags: '--v=4' }), 'Applied')
})

test('agent does not take a link for what was applied when it is assigned something else', async () => {
  const machine = new Machine()
  machine.start()
  const host = JSON.stringify({ files: [{ path: '/etc/motd', content: 'hello\n' }] })
  await machine.untilDigest(machine.assign({ host }), 'Applied')
  const { stat } = MemoryFiles.prototype
  machine.host.files.stat = async (path) => {
    const found = await stat.call(machine.host.files, path)
    return found && path === '/etc/motd' ? { ...found, type: 'symlink' } : found
  }
  machine.assign({ host, flags: '--v=3' })

  expect((await machine.until('RolledBack')).error?.reason).toBe('NotARegularFile')
  expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS=\n')
})

test('agent lets a file that counts at once wait for a grant to restart, and refuses one that the kubelet would read later', async () => {
  const machine = new Machine()
  machine.start()
  const manifest = { path: '/etc/kubernetes/manifests/kube-apiserver.yaml', content: 'b\n' }
  machine.assign({ host: JSON.stringify({ files: [manifest] }) }, { GRANT: 'none' })
  expect(await machine.until('Applied', 'Blocked')).toMatchObject({ phase: 'Blocked', needs: 'restart' })
  const config = { path: '/var/lib/kubelet/config.yaml', content: 'maxPods: "oops"\n' }
  machine.assign({ host: JSON.stringify({ files: [config] }) }, { GRANT: 'none' })

  expect(await machine.until('Applied', 'RolledBack')).toMatchObject({
    phase: 'RolledBack',
    error: {
      reason: 'PathNotAllowed',
      message:
        'failed to validate config: manage "/var/lib/kubelet/config.yaml" as a plain file: it is the kubelet\'s configuration; write a KubeletConfig and name it in kubelet.config',
    },
  })
})

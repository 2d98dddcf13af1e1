import { expect, test } from 'vitest'
import { AgentError } from '../../src/agent/agent-error.ts'
import { KUBEADM_CONFIG } from './documents.ts'
import { aMachine, importAndApply, inventoryOf, stateOf } from './some-imports.ts'

test.each([
  ['a user in a URL', '[Service]\nEnvironment="HTTPS_PROXY=http://ghp@proxy.example:3128"\n'],
  ['a short word for a password', '[Service]\nEnvironment=DB_PASS=hunter2\n'],
  ['a key', '[Service]\nEnvironment="STORAGE_KEY=hunter2"\n'],
  ['a header of any name', '[host."https://mirror.example".header]\n  x-mirror = ["hunter2"]\n'],
  ['a token by its shape', '[Service]\nEnvironment="GH=ghp_0123456789abcdefghijABCDEFGHIJ012345"\n'],
])('inventory leaves out a file when it has %s', async (_, text) => {
  const path = '/etc/systemd/system/containerd.service.d/10-own.conf'
  const { files, omitted } = await inventoryOf(await aMachine({}, { [path]: text }))
  expect([files, omitted]).toEqual([[], [{ path, why: 'it may hold a secret' }]])
})

test('inventory keeps a file when it names keys only by their paths', async () => {
  const path = '/etc/systemd/system/containerd.service.d/10-own.conf'
  const text = '[Service]\nEnvironment="TLS_KEY=/etc/pki/a.key"\nEnvironment=NO_PROXY=10.0.0.0/8\n'
  const { files, omitted } = await inventoryOf(await aMachine({}, { [path]: text }))
  expect([files.map((file) => file.content), omitted]).toEqual([[text], []])
})

test('inventory keeps the configuration of containerd when its tables of headers and credentials are empty', async () => {
  const registry = '[plugins."io.containerd.grpc.v1.cri".registry'
  const content = `version = 2\n${registry}.auths]\n\n${registry}.headers]\n\n${registry}.mirrors]\n`
  const { files, omitted } = await inventoryOf(await aMachine({}, { '/etc/containerd/config.toml': content }))
  expect([files.map((file) => file.content), omitted]).toEqual([[content], []])
})

test('inventory has no credentials of URLs in flags and configuration, nor of kernel arguments', async () => {
  const machine = await aMachine(
    {},
    {
      '/etc/default/kubelet': "KUBELET_EXTRA_ARGS='--v=2 --manifest-url=http://me:hunter2@pods.example/'\n",
      '/var/lib/kubelet/config.yaml': `${KUBEADM_CONFIG}staticPodURL: https://hunter2@pods.example/\n`,
    },
  )
  const commandLine = 'quiet systemd.set_credential=passwd.root:hunter2 inst.vncpassword=hunter2 vconsole.keymap=us'
  const inventory = await inventoryOf(machine, commandLine)
  expect(JSON.stringify(inventory)).not.toContain('hunter2')
  expect(inventory.kubelet.flags.flatMap(({ args }) => args)).toContain('--manifest-url=(hidden)')
  expect(inventory.kernelArguments).toBe('quiet systemd.set_credential=(hidden) inst.vncpassword=(hidden) vconsole.keymap=us')
})

test('inventory leaves out files that may hold a secret, that a package brought, and that nodewave wrote', async () => {
  const machine = await aMachine(
    {},
    {
      '/etc/containerd/config.toml': '[plugins.registry.auth]\npassword = "hunter2"\n',
      '/etc/sysctl.d/10-network.conf': 'net.core.somaxconn = 512\n',
      '/etc/sysctl.d/99-zz-nodewave.conf': 'vm.swappiness = 1\n',
    },
  )
  machine.host.packages.put({
    name: 'procps',
    version: '2:4.0.4-2',
    files: { '/etc/sysctl.d/10-network.conf': 'net.core.somaxconn = 512\n' },
    conffiles: ['/etc/sysctl.d/10-network.conf'],
  })
  const { files, omitted } = await inventoryOf(machine)

  expect(files).toEqual([])
  expect(omitted).toEqual([{ path: '/etc/containerd/config.toml', why: 'it may hold a secret' }])
})

test('inventory hides a credential that follows its flag as a word of its own', async () => {
  const machine = await aMachine(
    {},
    { '/etc/default/kubelet': 'KUBELET_EXTRA_ARGS="--v=3 --manifest-url-header A:hunter2 --v=4"\n' },
  )
  const text = JSON.stringify(await inventoryOf(machine))

  expect(text).not.toContain('hunter2')
  expect(text).toContain('--v=4')
})

test('inventory hides credentials in flags and configuration, and the import leaves those flags to the host', async () => {
  const machine = await aMachine(
    {},
    {
      '/var/lib/kubelet/config.yaml': `${KUBEADM_CONFIG}staticPodURLHeader: {Authorization: [hunter2]}\n`,
      '/etc/default/kubelet': 'KUBELET_EXTRA_ARGS="--manifest-url-header=A:hunter2 --v=3"\n',
    },
  )
  const inventory = await inventoryOf(machine)
  expect(JSON.stringify(inventory)).not.toContain('hunter2')
  const before = await stateOf(machine)
  const files = await importAndApply(machine)

  expect(files['pools/workers.yaml']).toContain('--manifest-url-header=(hidden): it holds credentials')
  expect(await stateOf(machine)).toEqual(before)
})

test.each([
  ['server = "https://r"\n[host."https://m".header]\n  authorization = ["Basic aHVudGVyMg=="]\n'],
  ['[Service]\nEnvironment="HTTPS_PROXY=http://alice:hunter2@proxy:3128"\n'],
  ['[Service]\nEnvironment=AWS_SECRET_ACCESS_KEY=hunter2\n'],
  ['{"registry": {"auth": "aHVudGVyMg=="}}'],
  ['-----BEGIN RSA PRIVATE KEY-----\n'],
])('inventory does not copy a file with a credential: %j', async (text) => {
  const machine = await aMachine({}, { '/etc/systemd/system/containerd.service.d/10-own.conf': text })
  const { files, omitted } = await inventoryOf(machine)
  expect([files, omitted.map(({ why }) => why)]).toEqual([[], ['it may hold a secret']])
})

test('inventory copies files that have such a word and no value', async () => {
  const text = '# no password here\n[plugins.auth]\n  password = ""\n  url = "https://r:5000/path"\n'
  const machine = await aMachine({}, { '/etc/containerd/config.toml': text })
  expect((await inventoryOf(machine)).files.map(({ content }) => content)).toEqual([text])
})

test('inventory names the static pods in the directory that the kubelet reads, and the repository has a comment on them', async () => {
  const machine = await aMachine(
    {},
    {
      '/var/lib/kubelet/config.yaml': KUBEADM_CONFIG.replace('/etc/kubernetes/manifests', '/srv/pods/'),
      '/srv/pods/dns.yaml': '{}',
      '/srv/pods/.hidden': '{}',
      '/etc/kubernetes/manifests/unread.yaml': '{}',
    },
  )
  const inventory = await inventoryOf(machine)
  expect(inventory.staticPods).toEqual(['/srv/pods/dns.yaml'])
  const before = await stateOf(machine)

  const files = await importAndApply(machine)

  expect(await stateOf(machine)).toEqual(before)
  expect(files['hosts/workers.yaml']).toContain('# - static pods: /srv/pods/dns.yaml: one from the repository has an annotation')
})

test('inventory leaves out a package that came only because another needs it, unless it is held', async () => {
  const machine = await aMachine({}, {})
  machine.host.packages.put({ name: 'containerd', version: '2.1.0' })
  machine.host.packages.put({ name: 'runc', version: '1.3.0' }, { automatic: true })
  machine.host.packages.put({ name: 'cri-tools', version: '1.35.0-1.1' }, { automatic: true, held: true })

  expect((await inventoryOf(machine)).packages).toEqual([
    { name: 'containerd', version: '2.1.0', held: false },
    { name: 'cri-tools', version: '1.35.0-1.1', held: true },
  ])
})

test('inventory keeps a configuration file of a package when somebody edited it', async () => {
  const path = '/etc/containerd/config.toml'
  const machine = await aMachine({}, {})
  machine.host.packages.put({ name: 'containerd.io', version: '2.1.4-1', files: { [path]: 'version = 2\n' }, conffiles: [path] })
  machine.host.files.put(path, 'version = 3\n')

  expect((await inventoryOf(machine)).files.map(({ content }) => content)).toEqual(['version = 3\n'])
})

test('inventory has no packages, and nothing that was left out, when a host has no package manager', async () => {
  const machine = await aMachine({}, {})
  const error = new AgentError('manage packages: there is none', { kind: 'validate', reason: 'NoPackageManager' })
  machine.host.packages.held = () => Promise.reject(error)
  const { packages, omitted } = await inventoryOf(machine)

  expect([packages, omitted]).toEqual([[], []])
})

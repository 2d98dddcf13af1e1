/** From a host through its inventory and the repository back to the host: the agent finds nothing to change. */
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { AgentError } from '../../src/agent/agent-error.ts'
import { isAlreadySo } from '../../src/agent/inventory/already-so.ts'
import type { InventoryOptions } from '../../src/agent/inventory/inventory-ports.ts'
import { readInventory } from '../../src/agent/inventory/read-inventory.ts'
import { statePaths } from '../../src/agent/paths.ts'
import { buildRepository } from '../../src/import/build-repository.ts'
import type { ApiNodeFacts } from '../../src/import/subject.ts'
import { type HostInventory, hostInventory } from '../../src/protocol/host-inventory.ts'
import { createRenderer } from '../../src/render/create-renderer.ts'
import { kubeletBinary } from '../../src/sim/host/kubelet-launch.ts'
import type { MachineOptions } from '../agent/support/machine.ts'
import { Machine } from '../agent/support/machine.ts'
import { modelOf } from '../repo/fleets.ts'
import { KUBEADM_CONFIG } from './documents.ts'

const OPTIONS: InventoryOptions = {
  node: 'worker-1',
  arch: 'amd64',
  layout: 'auto',
  environmentFile: '/etc/kubernetes/kubelet.env',
}
const NODE: ApiNodeFacts = {
  name: 'worker-1',
  labels: { 'kubernetes.io/os': 'linux', 'kubernetes.io/hostname': 'worker-1' },
  taints: [],
  version: '1.35.4',
  internalIP: '192.0.2.11',
}

async function inventoryOf({ host, node }: Machine, commandLine?: string): Promise<HostInventory> {
  const { ports: hands } = host.process(node)
  const { files, services, packages, kubelet, kernel: own } = hands
  const place = { files, arch: 'amd64', paths: statePaths(), manager: services.name }
  const kernel = { swaps: () => own.swaps(), commandLine: async () => commandLine ?? (await own.commandLine()) }
  const isSwapOff = () => isAlreadySo({ section: 'swap', value: 'off' }, { host: hands, place })
  const ports = { files, services, packages, kubelet, kernel, commandOf: async () => [], isSwapOff }
  return z.parse(hostInventory, JSON.parse(JSON.stringify(await readInventory(ports, OPTIONS))))
}

async function aMachine(options: MachineOptions, files: Readonly<Record<string, string>>): Promise<Machine> {
  const machine = new Machine({ version: '1.35.4', ...options })
  for (const [path, text] of Object.entries(files)) machine.host.files.put(path, text)
  await machine.clock.advance(3_600_000)
  return machine
}

/** Imports the host, and lets the agent apply what was written. @returns what was written */
async function importAndApply(machine: Machine): Promise<Readonly<Record<string, string>>> {
  const { files } = buildRepository([{ node: NODE, inventory: await inventoryOf(machine) }])
  machine.start()
  await machine.untilDigest(machine.assign(contentOf(files)), 'Applied')
  return files
}

function contentOf(files: Readonly<Record<string, string>>) {
  const result = createRenderer(modelOf(files)).render('workers', { ...NODE, arch: 'amd64', osImage: '' })
  if (!result.ok) throw new Error(result.problems.map(({ message }) => message).join('; '))
  return result.content
}

async function stateOf(machine: Machine) {
  const { mainPid } = await machine.host.services.show('kubelet.service')
  return { files: machine.hostFiles(), mainPid }
}

test('agent changes nothing on a host of kubeadm after its import', async () => {
  const machine = await aMachine(
    {},
    {
      '/var/lib/kubelet/config.yaml': KUBEADM_CONFIG,
      '/etc/default/kubelet': 'KUBELET_EXTRA_ARGS="--node-labels=b=2,a=1 --v=3 --node-ip=192.0.2.11"\n',
      '/etc/sysctl.d/90-kubernetes.conf': 'net.ipv4.ip_forward = 1\n',
      '/etc/containerd/config.toml': `version = 3\n${'# a comment\n'.repeat(20)}`,
    },
  )
  machine.host.packages.put({ name: 'cri-tools', version: '1.35.0-1.1' }, { held: true })
  const before = await stateOf(machine)
  const files = await importAndApply(machine)

  expect(await stateOf(machine)).toEqual(before)
  expect(Object.keys(files).sort()).toEqual([
    'config/base.yaml',
    'fleet.yaml',
    'hosts/files/workers/etc/containerd/config.toml',
    'hosts/workers.yaml',
    'pools/workers.yaml',
    'releases/upstream.yaml',
  ])
  expect(files['pools/workers.yaml']).toMatchInlineSnapshot(`
    "# Imported from worker-1.
    # nodewave import left these as they are:
    # - --container-runtime-endpoint=unix:///run/containerd/containerd.sock: kubeadm writes these to
    #   /var/lib/kubelet/kubeadm-flags.env at join and upgrade; leave them to kubeadm; a flag of the pool wins
    #   over one of the same name.
    apiVersion: nodewave.io/v1alpha1
    kind: NodePool
    metadata:
      name: workers
    spec:
      nodeSelector:
        matchLabels:
          kubernetes.io/os: linux
      kubelet:
        version: "1.35.4"
        release: upstream
        layout: kubeadm
        flags:
          node-labels: b=2,a=1
          v: 3
          node-ip: "{{ node.internalIP }}"
        config:
          - base
      hostProfiles:
        - workers
    "
  `)
  expect(files['config/base.yaml']).toMatchInlineSnapshot(`
    "apiVersion: kubelet.config.k8s.io/v1beta1
    kind: KubeletConfiguration
    metadata:
      name: base
    authentication:
      anonymous:
        enabled: false
      webhook:
        enabled: true
      x509:
        clientCAFile: /etc/kubernetes/pki/ca.crt
    authorization:
      mode: Webhook
    cgroupDriver: systemd
    clusterDNS:
      - "10.96.0.10"
    clusterDomain: cluster.local
    containerRuntimeEndpoint: ""
    healthzBindAddress: "127.0.0.1"
    healthzPort: 10248
    resolvConf: /run/systemd/resolve/resolv.conf
    rotateCertificates: true
    staticPodPath: /etc/kubernetes/manifests
    "
  `)
  expect(files['hosts/workers.yaml']).toMatchInlineSnapshot(`
    "# nodewave import left these as they are:
    # - swap is off: "swap: off" also keeps it off at the next boot, by a file for systemd or by the lines of
    #   /etc/fstab; add swap: off in a later commit.
    # - kernel settings and modules in files: as files they count at the next boot; sysctls and kernelModules
    #   also set and prove them at once; write them as sysctls and kernelModules instead, and the files with
    #   state: absent.
    apiVersion: nodewave.io/v1alpha1
    kind: HostProfile
    metadata:
      name: workers
    spec:
      files:
        - path: /etc/containerd/config.toml
          from: hosts/files/workers/etc/containerd/config.toml
        - path: /etc/sysctl.d/90-kubernetes.conf
          content: |
            net.ipv4.ip_forward = 1
      units:
        - name: containerd.service
          enabled: true
          state: running
          restartOn:
            - /etc/containerd/config.toml
        - name: systemd-sysctl.service
          restartOn:
            - /etc/sysctl.d/90-kubernetes.conf
      packages:
        - name: cri-tools
          version: 1.35.0-1.1
    "
  `)
})

const OLD_SOURCE = 'https://pkgs.example/v1.35/deb/'
const NEW_SOURCE = 'https://pkgs.example/v1.36/deb/'

function kubeletPackage(version: string) {
  return {
    name: 'kubelet',
    version: `${version}-1.1`,
    files: { '/usr/bin/kubelet': Buffer.from(kubeletBinary(version)).toString() },
  }
}

test('a kubelet by a package of the host is imported with the repository, changes nothing, and goes up by two lines', async () => {
  const machine = await aMachine(
    {},
    {
      '/etc/apt/sources.list.d/kubernetes.list': `deb [signed-by=/etc/apt/keyrings/kubernetes.gpg] ${OLD_SOURCE} /\n`,
      '/etc/apt/sources.list.d/debian.sources': 'URIs: https://deb.debian.org/debian\n',
    },
  )
  const { packages } = machine.host
  packages.offers.set('https://deb.debian.org/debian', [])
  packages.offers.set(OLD_SOURCE, [kubeletPackage('1.35.4')])
  packages.offers.set(NEW_SOURCE, [kubeletPackage('1.36.3')])
  packages.put(kubeletPackage('1.35.4'), { held: true })
  const before = await stateOf(machine)
  const files = await importAndApply(machine)
  expect(await stateOf(machine)).toEqual(before)
  expect(files['hosts/workers.yaml']).not.toContain('repositories: /etc/apt/sources.list.d/kubernetes.list')
  expect(files['hosts/workers.yaml']).toContain('repositories: /etc/apt/sources.list.d/debian.sources')

  const changed = Object.entries(files).map(([path, text]) => [
    path,
    text.replace(OLD_SOURCE, NEW_SOURCE).replace('version: "1.35.4"', 'version: "1.36.3"'),
  ])
  await machine.untilDigest(machine.assign(contentOf(Object.fromEntries(changed)), { GRANT: 'drain' }), 'Applied')

  expect(await packages.installed('kubelet')).toMatchObject({ version: '1.36.3-1.1', held: true })
  expect(machine.host.services.healthyVersion()).toBe('v1.36.3')
})

test('agent changes nothing on a host with an environment file after its import', async () => {
  const machine = await aMachine(
    { layout: 'env' },
    {
      '/etc/kubernetes/kubelet.env':
        'KUBELET_VERSION=v1.35.4\nKUBELET_OPTS="--v=2 --max-pods=60 --hostname-override=worker-1"\nOTHER=1\n',
    },
  )
  const before = await stateOf(machine)
  const files = await importAndApply(machine)

  expect(await stateOf(machine)).toEqual(before)
  expect(files['pools/workers.yaml']).toMatchInlineSnapshot(`
    "# Imported from worker-1.
    apiVersion: nodewave.io/v1alpha1
    kind: NodePool
    metadata:
      name: workers
    spec:
      nodeSelector:
        matchLabels:
          kubernetes.io/os: linux
      kubelet:
        layout: env
        flags:
          v: 2
          max-pods: 60
          hostname-override: "{{ node.name }}"
      hostProfiles:
        - workers
    "
  `)
})

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

const SWAP_DROP_IN = {
  '/etc/systemd/system/swap.d/10-nodewave.conf':
    '# Written by nodewave: no swap unit starts as long as this file is here.\n[Unit]\nConditionPathExists=!/etc/systemd/system/swap.d/10-nodewave.conf\n',
}

test.each([
  ['OpenRC has no swap', { serviceManager: 'openrc' }, { '/etc/fstab': '/dev/sda1 / ext4 defaults 0 1\n' }],
  ['systemd starts no swap', {}, SWAP_DROP_IN],
] as const)('import writes "swap: off" when a host of %s, and its agent changes nothing', async (_, options, files) => {
  const machine = await aMachine(options, files)
  const before = await stateOf(machine)
  const written = await importAndApply(machine)

  expect(await stateOf(machine)).toEqual(before)
  expect(written['hosts/workers.yaml']).toContain('swap: off\n')
  expect(written['hosts/workers.yaml']).not.toContain('# - swap')
})

test.each([
  ['systemd might start swap', {}, {}],
  ['OpenRC swaps at the next boot', { serviceManager: 'openrc' }, { '/etc/fstab': '/dev/sda2 none swap sw 0 0\n' }],
] as const)('import writes no "swap: off" when %s, and says why', async (_, options, files) => {
  const machine = await aMachine(options, files)
  const before = await stateOf(machine)
  const written = await importAndApply(machine)

  expect(await stateOf(machine)).toEqual(before)
  expect(written['hosts/workers.yaml']).toContain('# - swap is off: "swap: off" also keeps it off at the next boot')
  expect(written['hosts/workers.yaml']).not.toContain('\n  swap:')
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

test('import says that packages could not be read when their manager does not answer, and the agent changes nothing', async () => {
  const machine = await aMachine({}, {})
  machine.host.packages.held = () => Promise.reject(new Error('read the package database: rpm: cannot open Packages index'))
  const before = await stateOf(machine)
  const files = await importAndApply(machine)

  expect(await stateOf(machine)).toEqual(before)
  expect(files['hosts/workers.yaml']).toContain('# - packages: they cannot be read: read the package database: rpm: cannot open')
})

test('inventory has no packages, and nothing that was left out, when a host has no package manager', async () => {
  const machine = await aMachine({}, {})
  const error = new AgentError('manage packages: there is none', { kind: 'validate', reason: 'NoPackageManager' })
  machine.host.packages.held = () => Promise.reject(error)
  const { packages, omitted } = await inventoryOf(machine)

  expect([packages, omitted]).toEqual([[], []])
})

import { mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { aFolder, runCli } from './run-cli.ts'

const KUBELET = {
  ...{
    layout: 'kubeadm',
    version: '1.35.4',
    binary: { path: '/usr/bin/kubelet', sha256: 'a'.repeat(64) },
    command: [],
    dropIns: [],
  },
  flags: [{ variable: 'KUBELET_EXTRA_ARGS', path: '/etc/default/kubelet', args: ['--v=2'] }],
  config: {
    path: '/var/lib/kubelet/config.yaml',
    text: 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPods: 110\n',
  },
}
const INVENTORY = {
  ...{ kind: 'HostInventory', version: 1, node: 'w-1', arch: 'amd64', kubelet: KUBELET, files: [], units: [], packages: [] },
  ...{ repositories: [], certificates: [], kernelArguments: '', swaps: [], omitted: [] },
}
const NODES = {
  kind: 'List',
  items: ['w-1', 'w-2'].map((name) => ({
    metadata: { name, labels: { 'kubernetes.io/os': 'linux' } },
    status: { nodeInfo: { kubeletVersion: 'v1.35.4', architecture: 'amd64' }, addresses: [] },
  })),
}
const FILES = {
  'nodes.json': JSON.stringify(NODES),
  'hosts/w-1.json': JSON.stringify(INVENTORY),
  'hosts/w-2.json': JSON.stringify({ ...INVENTORY, node: 'w-2' }),
}
const ARGS = ['import', 'fleet', '--nodes', 'nodes.json', '--host', 'hosts']

test('import writes a valid repository, of which the first plan is no change', async () => {
  const folder = await aFolder(FILES)
  const { stdout, stderr, code } = await runCli(folder, ARGS)
  expect(stderr).toBe('')
  expect(stdout).toBe(`wrote 5 files to "fleet"

POOL     NODES  KUBELET
workers  2      1.35.4

1 comment in the files: what was left as it is, why, and what to do
  workers  swap is off

next:
  nodewave validate fleet
  git -C fleet init -b main && git -C fleet add -A && git -C fleet commit -m 'as the nodes run'
`)
  expect(code).toBe(0)
  expect((await runCli(folder, ['validate', 'fleet'])).stdout).toContain('valid: ')
})

test('import names what it left on the hosts, without control characters of theirs', async () => {
  const left = {
    swaps: ['/dev/sda2'],
    kernelArguments: 'quiet mitigations=off\u001b[2J',
    repositories: ['/etc/apt/sources.list.d/kubernetes.list'],
    staticPods: ['/etc/kubernetes/manifests/etcd.yaml', '/etc/kubernetes/manifests/dns.yaml'],
  }
  const hosts = ['w-1', 'w-2'].map((node) => [`hosts/${node}.json`, JSON.stringify({ ...INVENTORY, node, ...left })])
  const folder = await aFolder({ ...FILES, ...Object.fromEntries(hosts) })
  const { stdout } = await runCli(folder, ARGS)
  expect(stdout).toContain(`
5 comments in the files: what was left as it is, why, and what to do
  workers  swap: /dev/sda2
  workers  "kernel arguments: mitigations=off\\u001b[2J"
  workers  repositories: /etc/apt/sources.list.d/kubernetes.list
  workers  static pods of the control plane: /etc/kubernetes/manifests/etcd.yaml
  workers  static pods: /etc/kubernetes/manifests/dns.yaml
`)
})

test('import prints what it wrote as JSON', async () => {
  const folder = await aFolder(FILES)
  const { stdout } = await runCli(folder, [...ARGS, '-o', 'json'])
  expect(JSON.parse(stdout)).toMatchObject({
    valid: true,
    pools: [{ name: 'workers', nodes: ['w-1', 'w-2'], version: '1.35.4', missingOn: [] }],
    withoutInventory: [],
    changes: [],
  })
})

test('import writes into no folder that has files, unless it is forced', async () => {
  const folder = await aFolder({ ...FILES, 'fleet/mine.yaml': '# mine\n' })
  const refused = await runCli(folder, ARGS)
  expect([refused.code, refused.stderr]).toEqual([
    2,
    `error: "${join(folder, 'fleet')}" is not empty: it has "mine.yaml"; name a new folder, or write over its files with --force\n`,
  ])
  expect(await readdir(join(folder, 'fleet'))).toEqual(['mine.yaml'])

  expect((await runCli(folder, [...ARGS, '--force'])).code).toBe(0)
  expect(await readFile(join(folder, 'fleet/mine.yaml'), 'utf8')).toBe('# mine\n')
})

test.each([
  ['a file', 'pools/workers.yaml', 'pools/workers.yaml'],
  ['a folder', 'pools', 'pools'],
])('import --force writes through no symbolic link: %s', async (_, path, named) => {
  const folder = await aFolder({ ...FILES, 'elsewhere/workers.yaml': '# mine\n', 'fleet/README.md': '' })
  await mkdir(join(folder, 'fleet', dirname(path)), { recursive: true })
  await symlink(join(folder, path === 'pools' ? 'elsewhere' : 'elsewhere/workers.yaml'), join(folder, 'fleet', path))
  expect(await runCli(folder, [...ARGS, '--force'])).toEqual({
    stdout: '',
    stderr: `error: refuse to write through the symbolic link "${named}" in "${join(folder, 'fleet')}"; remove it, or name a new folder\n`,
    code: 2,
  })
  expect(await readFile(join(folder, 'elsewhere/workers.yaml'), 'utf8')).toBe('# mine\n')
  expect(await readdir(join(folder, 'fleet'))).not.toContain('fleet.yaml')
})

test('import refuses inventories in the folder that is committed', async () => {
  const folder = await aFolder(FILES)
  expect(await runCli(folder, ['import', '--force', '--nodes', 'nodes.json', '--host', 'hosts'])).toEqual({
    stdout: '',
    stderr: `error: --host "hosts" is in the folder of the repository, "${folder}": it has contents of hosts, and would be committed; move it out of the folder\n`,
    code: 2,
  })
})

test.each([
  ['nodes that are none', { 'nodes.json': '{}' }, 'expected the output of kubectl get nodes -o json'],
  ['an inventory that is none', { 'hosts/w-1.json': '{}' }, 'expected what "nodewave agent import" prints'],
  ['an inventory of no Node', { 'hosts/w-3.json': JSON.stringify({ ...INVENTORY, node: 'w-3' }) }, 'no Node "w-3"'],
  ['two inventories of one Node', { 'hosts/w-3.json': JSON.stringify(INVENTORY) }, 'is another inventory of "w-1"'],
])('import names %s', async (_, files, message) => {
  const folder = await aFolder({ ...FILES, ...files })
  const { stderr, code } = await runCli(folder, ARGS)
  expect(code).toBe(2)
  expect(stderr).toContain(message)
})

test('import says which host would change, and exits with 1', async () => {
  const text = 'maxPods: 110\n'
  const kubelet = { ...KUBELET, config: { ...KUBELET.config, text } }
  const folder = await aFolder({ ...FILES, 'hosts/w-2.json': JSON.stringify({ ...INVENTORY, node: 'w-2', kubelet }) })
  const { stdout, code } = await runCli(folder, ARGS)
  expect(stdout).toContain('the agent on "w-2" would change: the kubelet configuration')
  expect(code).toBe(1)
})

test('import refuses the inventory of a host when a path in it leads out of the folder', async () => {
  const file = { path: '/../../../../mine.yaml', content: 'line\n'.repeat(20), mode: '0644', uid: 0, gid: 0 }
  const hosts = ['w-1', 'w-2'].map((node) => [`hosts/${node}.json`, JSON.stringify({ ...INVENTORY, node, files: [file] })])
  const folder = await aFolder({ ...FILES, ...Object.fromEntries(hosts), 'mine.yaml': '# mine\n' })
  const { code, stderr } = await runCli(folder, ARGS)
  expect([code, stderr]).toEqual([
    2,
    `error: failed to read "${join(folder, 'hosts/w-1.json')}": expected what "nodewave agent import" prints; files.0.path: expected an absolute path, without ".." in it\n`,
  ])
  expect(await readFile(join(folder, 'mine.yaml'), 'utf8')).toBe('# mine\n')
})

import { expect, test } from 'vitest'
import { buildRepository } from '../../src/import/build-repository.ts'
import type { ImportSubject } from '../../src/import/subject.ts'
import type { HostInventory } from '../../src/protocol/host-inventory.ts'
import { modelOf } from '../repo/fleets.ts'

interface Options {
  readonly labels?: Readonly<Record<string, string>>
  readonly config?: string
  readonly extraArgs?: readonly string[]
  readonly kubelet?: Partial<HostInventory['kubelet']>
  readonly host?: Partial<HostInventory>
}

const SHA = 'a'.repeat(64)
const WORKER = { 'node-role.kubernetes.io/worker': '' }
const CONTROL_PLANE = { 'node-role.kubernetes.io/control-plane': '' }

function aSubject(
  name: string,
  { labels = {}, config = 'maxPods: 110\n', extraArgs = [], kubelet, host }: Options = {},
): ImportSubject {
  const inventory: HostInventory = {
    ...{ kind: 'HostInventory', version: 1, node: name, arch: 'amd64', files: [], units: [], packages: [] },
    ...{ repositories: [], certificates: [], kernelArguments: '', swaps: ['/swap'], omitted: [] },
    kubelet: {
      ...{ layout: 'kubeadm', version: '1.35.4', binary: { path: '/usr/bin/kubelet', sha256: SHA }, command: [], dropIns: [] },
      flags: [{ variable: 'KUBELET_EXTRA_ARGS', path: '/etc/default/kubelet', args: [...extraArgs] }],
      config: { path: '/var/lib/kubelet/config.yaml', text: config },
      ...kubelet,
    },
    ...host,
  }
  const own = { 'kubernetes.io/os': 'linux', 'kubernetes.io/hostname': name }
  return { node: { name, labels: { ...own, ...labels }, taints: [], version: '1.35.4', internalIP: undefined }, inventory }
}

function poolsOf(subjects: readonly ImportSubject[]) {
  return buildRepository(subjects).pools.map(({ name, nodes, matchLabels, missingOn }) => ({
    name,
    nodes,
    matchLabels,
    missingOn,
  }))
}

test('nodes of one role are one pool, named and selected by the role', () => {
  expect(
    poolsOf([aSubject('a', { labels: CONTROL_PLANE }), aSubject('b', { labels: WORKER }), aSubject('c', { labels: WORKER })]),
  ).toEqual([
    { name: 'control-plane', nodes: ['a'], matchLabels: CONTROL_PLANE, missingOn: [] },
    { name: 'workers', nodes: ['b', 'c'], matchLabels: WORKER, missingOn: [] },
  ])
})

test('a pool says that kubelets may set its labels, and one of a role does not', () => {
  const gpu = ['a', 'b'].map((name) => aSubject(name, { labels: { pool: 'gpu' } }))
  const { pools } = buildRepository([...gpu, aSubject('c', { labels: CONTROL_PLANE })])
  const about = pools.map(({ name, remarks }) => [name, remarks.map(({ what }) => what).filter((what) => /^nodeSel/.test(what))])
  expect(about).toEqual([
    ['gpu', ['nodeSelector pool']],
    ['control-plane', []],
  ])
})

test('workers without a role need a label, and the pool says which command sets it', () => {
  const subjects = [aSubject('a', { labels: CONTROL_PLANE }), aSubject('b'), aSubject('c')]
  expect(poolsOf(subjects)[1]).toEqual({
    name: 'workers',
    nodes: ['b', 'c'],
    matchLabels: { 'node-restriction.kubernetes.io/pool': 'workers' },
    missingOn: ['b', 'c'],
  })
  expect(buildRepository(subjects).files['pools/workers.yaml']).toContain(
    'Before you push: kubectl label node b c\n# node-restriction.kubernetes.io/pool=workers',
  )
})

test('nodes of one role that run different things are pools of their own, told apart by their labels', () => {
  const gpu = { ...WORKER, pool: 'gpu' }
  const subjects = [
    ...['a', 'b', 'c'].map((name) => aSubject(name, { labels: { ...WORKER, pool: 'general' } })),
    ...['d', 'e'].map((name) => aSubject(name, { labels: gpu, config: 'maxPods: 40\n' })),
  ]
  expect(poolsOf(subjects)).toEqual([
    { name: 'general', nodes: ['a', 'b', 'c'], matchLabels: { pool: 'general' }, missingOn: [] },
    { name: 'gpu', nodes: ['d', 'e'], matchLabels: { pool: 'gpu' }, missingOn: [] },
  ])
})

test('one node that differs stays in its pool, with an override', () => {
  const subjects = [
    ...['a', 'b'].map((name) => aSubject(name, { labels: WORKER, config: 'maxPods: 110\nserializeImagePulls: false\n' })),
    aSubject('c', { labels: WORKER, config: 'maxPods: 20\n', extraArgs: ['--v=4'] }),
  ]
  const { files, pools } = buildRepository(subjects)
  expect(pools.map(({ nodes }) => nodes)).toEqual([['a', 'b', 'c']])
  expect(files['overrides/c.yaml']).toBe(`apiVersion: nodewave.io/v1alpha1
kind: NodeOverride
metadata:
  name: c
spec:
  node: c
  flags:
    v: 4
  config:
    maxPods: 20
    serializeImagePulls: null
`)
  expect(modelOf(files).overrides).toHaveLength(1)
})

test('what all pools share stands in one document, and what is their own in another', () => {
  const file = { path: '/etc/crictl.yaml', content: 'timeout: 2\n', mode: '0600', uid: 0, gid: 0 }
  const { files } = buildRepository([
    aSubject('a', {
      labels: CONTROL_PLANE,
      config: 'maxPods: 110\nclusterDomain: cluster.local\n',
      extraArgs: ['--v=2'],
      host: { files: [file] },
    }),
    aSubject('b', {
      labels: WORKER,
      config: 'maxPods: 60\nclusterDomain: cluster.local\n',
      extraArgs: ['--v=2', '--max-pods=70'],
      host: { files: [file] },
    }),
  ])
  const model = modelOf(files)
  expect(model.flagSets.get('base')?.spec).toEqual({ flags: { v: 2 } })
  expect(model.kubeletConfigs.get('base')?.spec).toEqual({ config: { clusterDomain: 'cluster.local' } })
  expect(model.kubeletConfigs.get('workers')?.spec).toEqual({ config: { maxPods: 60 } })
  expect(model.pools.get('workers')?.spec).toMatchObject({
    kubelet: { flagSets: ['base'], flags: { 'max-pods': 70 }, config: ['base', 'workers'] },
    hostProfiles: ['base'],
  })
  expect(model.hostProfiles.get('base')?.spec).toEqual({
    files: [{ path: '/etc/crictl.yaml', content: 'timeout: 2\n', mode: '0600' }],
  })
})

test.each<[string, Options, string]>([
  [
    'a kubelet of a package',
    { kubelet: { package: { name: 'kubelet', version: '1.35.4-1.1', held: false } } },
    'kubelet 1.35.4, package kubelet 1.35.4-1.1, not held: to manage the package holds it',
  ],
  ['a flag that stands there twice', { extraArgs: ['--v=2', '--v=3'] }, '--v=2 --v=3: the flag stands there more than once'],
  [
    'the identity of a node',
    { extraArgs: ['--hostname-override=other'] },
    '--hostname-override=other: it is the identity of one node',
  ],
  [
    'drop-ins of the configuration',
    { kubelet: { dropIns: ['/etc/k.d/10.conf'] } },
    '/etc/k.d/10.conf: these files win over the kubelet',
  ],
  ['a layout that nobody knows', { kubelet: { layout: undefined } }, 'nothing on the host shows that kubeadm'],
])('%s is left as it is, and the pool says why', (_, options, comment) => {
  const { files } = buildRepository([aSubject('a', options)])
  const text = files['pools/workers.yaml']?.replaceAll(/\n# +/g, ' ')
  expect(text).toContain(comment)
  expect(modelOf(files).pools.get('workers')?.spec.kubelet?.flags ?? {}).toEqual({})
})

test('credentials in the kubelet configuration are not copied', () => {
  const { files } = buildRepository([aSubject('a', { config: 'maxPods: 110\nstaticPodURLHeader: {Authorization: [hunter2]}\n' })])
  expect(Object.values(files).join('')).not.toContain('hunter2')
  expect(files['pools/workers.yaml']).toContain('staticPodURLHeader: it holds credentials')
})

test('nodes that nobody asked become pools that manage nothing', () => {
  const { node } = aSubject('a')
  const { files, pools } = buildRepository([{ node }])
  expect(modelOf(files).pools.get('workers')?.spec).toEqual({ nodeSelector: { matchLabels: { 'kubernetes.io/os': 'linux' } } })
  expect(pools[0]?.remarks.map(({ remedy }) => remedy)).toEqual([
    'run "nodewave agent import" there, and give what it prints to nodewave import --host',
  ])
})

test('a kubelet that was not restarted since its file changed is told', () => {
  const subject = aSubject('a', { config: 'maxPods: 250\nclusterDomain: cluster.local\n' })
  const configz = { maxPods: 110, clusterDomain: 'cluster.local' }
  const { files } = buildRepository([{ ...subject, node: { ...subject.node, configz } }])
  expect(files['pools/workers.yaml']).toContain('- maxPods: 250: the kubelet runs with 110')
})

test('a control character of a host ends no comment', () => {
  const { files } = buildRepository([aSubject('a', { host: { swaps: ['/swap\nspec: {}'] } })])
  expect(files['hosts/workers.yaml']?.split('\n').every((line) => line === '' || line.startsWith('#'))).toBe(true)
})

test('flags of the running kubelet that no file has, and those of a file that it lacks, are told', () => {
  const command = [
    '/usr/bin/kubelet',
    '--kubeconfig=/etc/kubernetes/kubelet.conf',
    '--config=/c.yaml',
    '--v=2',
    '--fail-swap-on',
    'false',
  ]
  const { pools } = buildRepository([aSubject('a', { extraArgs: ['--v=3'], kubelet: { command } })])
  const told = pools[0]?.remarks
    .filter(({ about }) => about === 'kubelet')
    .map(({ what, why }) => `${what}: ${why.split(/ this|,/)[0]}`)
  expect(told).toEqual(['--fail-swap-on: the kubelet runs with it', '--v: the kubelet runs without'])
})

test('an environment file with a flag that cannot be said keeps all its flags: those of Git would take their place', () => {
  const flags = [{ variable: 'KUBELET_OPTS', path: '/etc/kubernetes/kubelet.env', args: ['--v=2', '--v=3', '--max-pods=60'] }]
  const { files } = buildRepository([aSubject('a', { kubelet: { layout: 'env', flags } })])
  expect(modelOf(files).pools.get('workers')?.spec.kubelet).toEqual({ version: '1.35.4', layout: 'env' })
})

test('a flag that one node lacks is no flag of the pool: an override cannot take it away', () => {
  const subjects = [
    ...['a', 'b'].map((name) => aSubject(name, { labels: WORKER, extraArgs: ['--v=2', '--max-pods=60'] })),
    aSubject('c', { labels: WORKER, extraArgs: ['--v=2'] }),
  ]
  const model = modelOf(buildRepository(subjects).files)
  expect(model.pools.get('workers')?.spec.kubelet?.flags).toEqual({ v: 2 })
  expect(model.overrides.map(({ spec }) => [spec.node, spec.flags])).toEqual([
    ['a', { 'max-pods': 60 }],
    ['b', { 'max-pods': 60 }],
  ])
})

test('a pool whose kubelet is another build of the same version keeps it', () => {
  const binary = { path: '/usr/bin/kubelet', sha256: 'b'.repeat(64) }
  const { files } = buildRepository([
    aSubject('a', { labels: CONTROL_PLANE }),
    aSubject('b', { labels: WORKER, kubelet: { binary } }),
  ])
  const model = modelOf(files)
  expect(model.pools.get('control-plane')?.spec.kubelet?.version).toBe('1.35.4')
  expect(model.pools.get('workers')?.spec.kubelet?.version).toBeUndefined()
  expect(files['pools/workers.yaml']).toContain('the kubelets are different builds of one version')
})

const packaged = (version: string, more: object = {}) => ({
  kubelet: { package: { name: 'kubelet', version, held: true, ...more } },
})

test.each([
  ['apt', { version: '1.35.4-1.1' }, { apt: { version: '{{version}}-1.1' } }],
  ['dnf', { version: '1.35.4-150500.1.1', manager: 'dnf' }, { dnf: { version: '{{version}}-150500.1.1' } }],
  ['zypper', { version: '1.35.4-150500.1.1', manager: 'zypper' }, { zypper: { version: '{{version}}-150500.1.1' } }],
] as const)(
  'a kubelet that is a held package of %s is a release of packages from the repositories of the host',
  (name, installed, spec) => {
    const { files } = buildRepository([aSubject('a', packaged(installed.version, installed))])
    const model = modelOf(files)

    expect(model.pools.get('workers')?.spec.kubelet).toMatchObject({ version: '1.35.4', release: name })
    expect(model.releases.get(name)?.spec).toEqual(spec)
  },
)

test('packages of two patterns are two releases', () => {
  const { files } = buildRepository([
    aSubject('a', { labels: CONTROL_PLANE, ...packaged('1.35.4-1.1') }),
    aSubject('b', { labels: WORKER, ...packaged('1.35.4-2.1') }),
  ])
  const model = modelOf(files)
  expect([...model.pools.values()].map(({ spec }) => spec.kubelet?.release)).toEqual(['apt', 'apt-2'])
  expect([...model.releases].map(([name, { spec }]) => [name, spec.apt?.version])).toEqual([
    ['apt', '{{version}}-1.1'],
    ['apt-2', '{{version}}-2.1'],
  ])
})

test('a pool whose kubelets come from different sources keeps them, and says so', () => {
  const { files } = buildRepository([aSubject('a', packaged('1.35.4-1.1')), aSubject('b')])
  expect(modelOf(files).pools.get('workers')?.spec.kubelet?.version).toBeUndefined()
  expect(files['pools/workers.yaml']?.replaceAll(/\n# +/g, ' ')).toContain(
    'the version of the kubelet: a apt {{version}}-1.1, b a binary: the kubelets of the nodes come from different sources',
  )
})

test.each([
  ['apt', {}, 'run "apt-mark hold kubelet" and "nodewave agent import" there, and import again'],
  ['dnf', { manager: 'dnf' }, 'run "dnf versionlock add kubelet" and'],
  ['zypper', { manager: 'zypper' }, 'run "zypper addlock kubelet" and'],
] as const)('a package of %s that nobody holds is left as it is, with the command that holds it', (_, manager, remedy) => {
  const { files } = buildRepository([aSubject('a', packaged('1.35.4-1.1', { held: false, ...manager }))])

  expect(modelOf(files).pools.get('workers')?.spec.kubelet?.version).toBeUndefined()
  expect(files['pools/workers.yaml']?.replaceAll(/\n# +/g, ' ')).toContain(remedy)
})

test.each([
  [
    'root=/dev/sda1 ro quiet transparent_hugepage=never iommu=pt',
    'add kernelArguments: ["transparent_hugepage=never", "iommu=pt"]',
  ],
  ['ro transparent_hugepage=never mem=4G vnc=(hidden)', 'add kernelArguments: ["transparent_hugepage=never"]'],
  ['ro mem=4G', 'leave them to the host'],
])('kernel arguments "%s" are a comment with the field that keeps them', (kernelArguments, remedy) => {
  const { pools } = buildRepository([aSubject('a', { host: { kernelArguments } })])

  expect(pools[0]?.remarks.find(({ what }) => what.startsWith('kernel arguments'))?.remedy).toContain(remedy)
})

test.each<[string, NonNullable<Options['host']>, string]>([
  [
    'a file that switches forwarding off',
    { files: [{ path: '/etc/sysctl.d/99-hard.conf', content: 'net.ipv4.ip_forward = 0\n', mode: '0644', uid: 0, gid: 0 }] },
    '/etc/sysctl.d/99-hard.conf: it switches forwarding off at each boot',
  ],
  [
    'a time zone that is none',
    { localTime: '/usr/share/zoneinfo/posix/Europe/Berlin' },
    '/etc/localtime → /usr/share/zoneinfo/posix/Europe/Berlin: that is no name of a time zone',
  ],
])('%s is a comment, and the repository is valid', (_, host, comment) => {
  const { files } = buildRepository([aSubject('a', { host })])

  expect(files['hosts/workers.yaml']?.replaceAll(/\n?# +/g, ' ')).toContain(comment)
  expect(modelOf(files).pools.size).toBe(1)
})

test('a pool whose label says "base" does not write over what all pools share', () => {
  const shared = 'maxPods: 110\n'
  const nodes = [
    ...['a', 'b'].map((name) => aSubject(name, { labels: { pool: 'base' }, config: `${shared}podPidsLimit: 100\n` })),
    ...['c', 'd'].map((name) => aSubject(name, { labels: { pool: 'gpu' }, config: `${shared}podPidsLimit: 200\n` })),
  ]
  const { files, pools } = buildRepository(nodes)
  expect(pools.map(({ name }) => name)).toEqual(['base-2', 'gpu'])
  expect(files['config/base.yaml']).toContain('maxPods: 110')
  expect(files['config/base-2.yaml']).toContain('podPidsLimit: 100')
})

test('a pool has a valid name when the label that names it is long', () => {
  const [pool] = poolsOf([aSubject('a', { labels: { pool: `${'a'.repeat(39)}-b` } }), aSubject('b', { labels: CONTROL_PLANE })])
  expect(pool?.name).toBe('a'.repeat(39))
})

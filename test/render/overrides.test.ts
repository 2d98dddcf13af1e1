import { expect, test } from 'vitest'
import { checkModel } from '../../src/render/check-model.ts'
import { createRenderer } from '../../src/render/create-renderer.ts'
import { aFleet, aNode, refusals, rendered, WORKERS } from './fleets.ts'

const fleet = {
  'NodePool workers': `${WORKERS}\nkubelet: {flagSets: [all], config: [base]}\nhostProfiles: [motd]`,
  'FlagSet all': 'flags: {v: 2, feature-gates: {NodeSwap: true}}',
  'KubeletConfig base': 'config: {maxPods: 110}',
  'HostProfile motd': 'files: [{path: /etc/motd, content: all}]',
}

test('an override by name is for that node alone', () => {
  const model = aFleet({
    ...fleet,
    'NodeOverride one': 'node: n1\nflags: {node-ip: 10.0.0.7}\nconfig: {resolvConf: /run/resolv.conf}',
  })
  const [n1, n2] = ['n1', 'n2'].map((name) => rendered(model, aNode(name)).content)
  expect([n1?.opts, n2?.opts]).toEqual(['--node-ip=10.0.0.7', undefined])
  expect(n1?.config).toContain('resolvConf: /run/resolv.conf\n')
  expect(n2?.config).not.toContain('resolvConf')
})

test('an override by selector is for every node with the labels', () => {
  const model = aFleet({ ...fleet, 'NodeOverride ssd': 'nodeSelector: {matchLabels: {disk: ssd}}\nconfig: {maxPods: 200}' })
  expect(rendered(model, aNode('n1', { labels: { role: 'worker', disk: 'ssd' } })).content.config).toContain('maxPods: 200\n')
  expect(rendered(model, aNode('n2')).content.config).toContain('maxPods: 110\n')
})

test('an override replaces a shared flag instead of standing beside it, for the kubelet would add up both', () => {
  const model = aFleet({ ...fleet, 'NodeOverride one': 'node: n1\nflags: {feature-gates: {MemoryQoS: true}}' })
  const { content } = rendered(model, aNode('n1'))
  expect([content.flags, content.opts]).toEqual(['--v=2', '--feature-gates=MemoryQoS=true'])
})

test('an override keeps the ConfigMap shared when it only adds flags', () => {
  const model = aFleet({ ...fleet, 'NodeOverride one': 'node: n1\nflags: {node-ip: 10.0.0.7}' })
  const names = ['n1', 'n2'].map((node) => rendered(model, aNode(node)).desired.KUBELET_CONFIG)
  expect(names[0]).toBe(names[1])
})

test('a file of an override takes the place of the one in a HostProfile', () => {
  const model = aFleet({
    ...fleet,
    'NodeOverride one': 'node: n1\nfiles: [{path: /etc/motd, content: mine}, {path: /etc/extra, content: ""}]',
  })
  expect(JSON.parse(rendered(model, aNode('n1')).content.host ?? '').files).toEqual([
    { path: '/etc/motd', content: 'mine' },
    { path: '/etc/extra', content: '' },
  ])
})

test('two overrides that meet on a node may agree', () => {
  const model = aFleet({
    ...fleet,
    'NodeOverride one': 'node: n1\nflags: {v: 5}\nconfig: {evictionHard: {memory.available: 1Gi}}',
    'NodeOverride ssd': 'nodeSelector: {matchLabels: {disk: ssd}}\nflags: {v: 5}\nconfig: {evictionHard: {nodefs.available: 5%}}',
  })
  const { content } = rendered(model, aNode('n1', { labels: { disk: 'ssd' } }))
  expect(content.opts).toBe('--v=5')
  expect(content.config).toContain('evictionHard:\n  memory.available: "1Gi"\n  nodefs.available: "5%"\n')
})

test('two overrides that disagree keep the nodes where they meet from being rendered, and no other', () => {
  const model = aFleet({
    ...fleet,
    'NodeOverride one': 'node: n1\nflags: {v: 5}\nconfig: {maxPods: 5}\nfiles: [{path: /etc/motd, content: a}]',
    'NodeOverride ssd':
      'nodeSelector: {matchLabels: {disk: ssd}}\nflags: {v: 6}\nconfig: {maxPods: 6}\nfiles: [{path: /etc/motd, content: b}]',
  })
  const why =
    'is set differently by NodeOverride "one" and NodeOverride "ssd", and neither goes before the other; set it in one of them only'
  expect(refusals(model, aNode('n1', { labels: { disk: 'ssd' } }))).toEqual([
    `flag --v ${why} | NodeOverride-ssd.yaml:6:14 | NodeOverride-one.yaml:6:14`,
    `field maxPods ${why} | NodeOverride-ssd.yaml:7:21 | NodeOverride-one.yaml:7:21`,
    `file /etc/motd ${why} | NodeOverride-ssd.yaml:8:11 | NodeOverride-one.yaml:8:11`,
  ])
  expect(createRenderer(model).render('workers', aNode('n2', { labels: { disk: 'ssd' } }))).toMatchObject({ ok: true })
})

test('overrides with equal content share what is rendered; one that says something else does not', () => {
  const model = aFleet({
    ...fleet,
    'NodeOverride a': 'node: n1\nconfig: {maxPods: 150}',
    'NodeOverride b': 'node: n2\nconfig: {maxPods: 150}',
    'NodeOverride c': 'node: n3\nconfig: {maxPods: 151}',
  })
  const renderer = createRenderer(model)
  const [n1, n2, n3] = ['n1', 'n2', 'n3'].map((name) => renderer.render('workers', aNode(name)))
  expect(n2).toBe(n1)
  expect(n3).not.toBe(n1)
})

test('overrides with equal content and templates are filled in for each node', () => {
  const model = aFleet({
    ...fleet,
    'NodeOverride a': 'node: n1\nflags: {root-dir: "/data/{{ node.name }}"}',
    'NodeOverride b': 'node: n2\nflags: {root-dir: "/data/{{ node.name }}"}',
  })
  const opts = ['n1', 'n2'].map((name) => rendered(model, aNode(name)).content.opts)
  expect(opts).toEqual(['--root-dir=/data/n1', '--root-dir=/data/n2'])
})

test('each of several equal overrides that cannot be rendered is named with its own place', () => {
  const model = aFleet({
    ...fleet,
    'NodeOverride a': 'node: n1\nflags: {node-ip: "{{ node.nothing }}"}',
    'NodeOverride b': 'node: n2\nflags: {node-ip: "{{ node.nothing }}"}',
  })
  const places = checkModel(model).map(({ where }) => where.map(({ file }) => file))
  expect(new Set(places.flat()).size).toBe(2)
  expect(refusals(model, aNode('n1'))[0]).toContain('NodeOverride-a.yaml:6')
  expect(refusals(model, aNode('n2'))[0]).toContain('NodeOverride-b.yaml:6')
})

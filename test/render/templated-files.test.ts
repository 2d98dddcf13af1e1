import { expect, test } from 'vitest'
import type { HostDocument } from '../../src/protocol/host-document.ts'
import { checkModel } from '../../src/render/check-model.ts'
import { explainNode } from '../../src/render/explain-node.ts'
import { poolFingerprint } from '../../src/render/pool-fingerprint.ts'
import type { FleetModel } from '../../src/repo/model.ts'
import { hostFile } from '../../src/repo/schema/host-profile.ts'
import { aFleet, aNode, refusals, rendered, WORKERS } from './fleets.ts'

const POOL = { 'NodePool workers': `${WORKERS}\nhostProfiles: [base]` }
const fleet = (spec: string, attachments = {}) => aFleet({ ...POOL, 'HostProfile base': spec }, attachments)
const filesOn = (model: FleetModel, name: string, labels = {}) => {
  const { content } = rendered(model, aNode(name, { labels: { role: 'worker', ...labels } }))
  return (JSON.parse(content.host ?? '') as HostDocument).files?.map(({ path, content }) => [path, content])
}

test('a file with template: true has the facts of each node, and other files keep their braces', () => {
  const model = fleet(
    'files: [{path: /etc/a, template: true, from: a.conf}, {path: /etc/b, content: "{{ node.name }} {{ .Values }}"}]',
    { 'a.conf': 'node={{ node.name }}\nzone={{node.labels.zone}}\n' },
  )
  expect(filesOn(model, 'n1', { zone: 'a' })).toEqual([
    ['/etc/a', 'node=n1\nzone=a\n'],
    ['/etc/b', '{{ node.name }} {{ .Values }}'],
  ])
  expect(filesOn(model, 'n2', { zone: 'b' })?.[0]).toEqual(['/etc/a', 'node=n2\nzone=b\n'])
})

test('nodes with equal facts share one host document, and others have their own', () => {
  const model = fleet('files: [{path: /etc/a, template: true, content: "{{ node.labels.zone }}"}]')
  const nameOn = (name: string, zone: string) =>
    rendered(model, aNode(name, { labels: { role: 'worker', zone } })).desired.HOST_CONFIG
  expect(nameOn('n1', 'a')).toBe(nameOn('n2', 'a'))
  expect(nameOn('n3', 'b')).not.toBe(nameOn('n1', 'a'))
})

test('a node that lacks a fact of a file is refused with the place that asks for it', () => {
  const model = fleet('files: [{path: /etc/a, template: true, content: "{{ node.labels.zone }}"}]')
  expect(refusals(model, aNode('n1'))).toEqual([
    'node "n1" has nothing to put in place of {{ node.labels.zone }} | HostProfile-base.yaml:5:51',
  ])
  expect(checkModel(model)).toEqual([])
})

test.each([
  ['osImage', { osImage: 'x"; touch /root/taken #' }],
  ['internalIP', { internalIP: '10.0.0.1 $(reboot)' }],
  ['arch', { arch: '../amd64' }],
])('a file gets no %s when the kubelet reports what is none', (fact, reported) => {
  const model = fleet(`files: [{path: /etc/a, template: true, content: 'X="{{ node.${fact} }}"'}]`)
  expect(refusals(model, aNode('n1', reported))).toEqual([
    `node "n1" reports a value that cannot be one of {{ node.${fact} }}; see its status | HostProfile-base.yaml:5:51`,
  ])
})

test('a file that an override replaces asks nothing of the node', () => {
  const model = aFleet({
    ...POOL,
    'HostProfile base': 'files: [{path: /etc/a, template: true, content: "{{ node.labels.zone }}"}]',
    'NodeOverride odd': 'node: n1\nfiles: [{path: /etc/a, content: none}]',
  })
  expect(filesOn(model, 'n1')).toEqual([['/etc/a', 'none']])
})

test('an unknown fact, braces that stay open and a file that is not text are refused, with the line', () => {
  const model = fleet(
    'files: [{path: /etc/a, template: true, content: "x\\ny={{ node.nam }}\\nz={{ node.name"}, {path: /etc/b, template: true, from: b}]',
    { b: new Uint8Array([0xff, 0xfe]) },
  )
  expect(checkModel(model).map(({ message }) => message)).toEqual([
    'file "/etc/a": "{{ node.nam }}" is unknown; known: node.name, node.arch, node.osImage, node.internalIP, node.cpu, node.memory and node.labels.<key>',
    'file "/etc/a": "z={{ node.name" opens {{ and does not close it',
    'file "/etc/b": it is not text in UTF-8, so nothing can be filled in; take out template',
  ])
})

test('a pool has another fingerprint when a file becomes a template, in a profile or in an override', () => {
  const withFile = (file: string) => poolFingerprint(fleet(`files: [${file}]`), 'workers')
  const withOverride = (file: string) =>
    poolFingerprint(aFleet({ ...POOL, 'HostProfile base': '{}', 'NodeOverride odd': `node: n1\nfiles: [${file}]` }), 'workers')
  for (const fingerprint of [withFile, withOverride])
    expect(fingerprint('{path: /etc/a, content: x, template: true}')).not.toBe(fingerprint('{path: /etc/a, content: x}'))
})

test('explain shows facts in templates, and the braces of other files', () => {
  const model = fleet(
    'files: [{path: /etc/a, template: true, content: "{{ node.name }}"}, {path: /etc/b, content: "{{ node.name }}"}]',
  )
  const pool = model.pools.get('workers')
  if (pool === undefined) throw new Error('no pool')
  const { values } = explainNode(model, { pool, node: aNode('n1') })
  expect(values.map(({ value }) => (value as { content: string }).content)).toEqual(['n1', '{{ node.name }}'])
})

test.each([{ download: { url: 'https://x/y', sha256: 'a'.repeat(64) } }, { state: 'absent' }])(
  'template: true with %j is refused',
  (source) => {
    const { error } = hostFile.safeParse({ path: '/etc/a', template: true, ...source })
    expect(error?.issues.map(({ message }) => message)).toEqual(['template: true needs content or from'])
  },
)

test('a file with template: true has the variables of the cluster, and one without keeps its braces', () => {
  const text = 'in {{ cluster.name }} ({{ cluster.region }}) on {{ node.name }}'
  const model: FleetModel = fleet('files: [{path: /etc/a, template: true, from: a}, {path: /etc/b, from: a}]', { a: text })
  const source = { where: () => ({ file: '', line: 1, column: 1 }) }
  const cluster = { kind: 'Cluster', name: 'staging', spec: { variables: { region: 'eu' } }, source }
  expect(filesOn({ ...model, cluster }, 'n1')).toEqual([
    ['/etc/a', 'in staging (eu) on n1'],
    ['/etc/b', text],
  ])
})

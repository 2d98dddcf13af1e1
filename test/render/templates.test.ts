import { expect, test } from 'vitest'
import { fillTemplates, referencesIn, resolveReference, templateMistake } from '../../src/render/templates.ts'
import { aNode } from './fleets.ts'

test('referencesIn finds what a value takes from the node, in lists and maps too', () => {
  const value = { a: '{{ node.name }}-{{node.arch}}', b: ['{{ node.labels.topology.kubernetes.io/zone }}', 1], c: 'plain {x}' }
  expect(referencesIn(value).sort()).toEqual(['node.arch', 'node.labels.topology.kubernetes.io/zone', 'node.name'])
})

test.each([
  ['node.name', 'worker-1'],
  ['node.arch', 'amd64'],
  ['node.osImage', 'Debian GNU/Linux 12 (bookworm)'],
  ['node.internalIP', '10.0.0.1'],
  ['node.labels.topology.kubernetes.io/zone', 'eu-1a'],
  ['node.labels.empty', ''],
  ['node.labels.missing', undefined],
  ['node.labels.constructor', undefined],
  ['node.unknown', undefined],
])('resolveReference of %s is %j', (reference, value) => {
  const node = aNode('worker-1', { labels: { 'topology.kubernetes.io/zone': 'eu-1a', empty: '' } })
  expect(resolveReference(reference, node)).toBe(value)
})

test.each([undefined, ''])('resolveReference has no internalIP when the kubelet reported %j', (internalIP) => {
  expect(resolveReference('node.internalIP', aNode('a', { internalIP }))).toBeUndefined()
})

test('fillTemplates replaces references in values and leaves keys alone', () => {
  const resolved = new Map([['node.name', '$& n']])
  expect(fillTemplates({ '{{ node.name }}': ['x {{node.name}}', 1, null] }, resolved)).toEqual({
    '{{ node.name }}': ['x $& n', 1, null],
  })
})

test.each([
  ['spaces', `{{${' '.repeat(100_000)}`],
  ['a word and spaces', `{{ node.name${' '.repeat(100_000)}x`],
  ['braces', '{{'.repeat(50_000)],
])('braces that open and never close cost no more than their length: %s', (_, text) => {
  expect(templateMistake(text)).toBe(`"${text}" opens {{ and does not close it`)
})

test.each([
  ['{{ node.name }} {{ node.labels.x }}', undefined],
  [
    '{{ node.names }}',
    '"{{ node.names }}" is unknown; known: node.name, node.arch, node.osImage, node.internalIP, node.cpu, node.memory and node.labels.<key>',
  ],
  [
    '{{ node.labels. }}',
    '"{{ node.labels. }}" is unknown; known: node.name, node.arch, node.osImage, node.internalIP, node.cpu, node.memory and node.labels.<key>',
  ],
  ['a {{ node.name', '"a {{ node.name" opens {{ and does not close it'],
  ['{{ {{ node.name }} }}', '"{{ {{ node.name }} }}" opens {{ and does not close it'],
])('templateMistake of %j is %j', (text, mistake) => {
  expect(templateMistake({ a: [text] })).toBe(mistake)
})

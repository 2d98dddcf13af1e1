import { expect, test } from 'vitest'
import type { HostDocument } from '../../src/protocol/host-document.ts'
import { checkModel } from '../../src/render/check-model.ts'
import { createRenderer } from '../../src/render/create-renderer.ts'
import { disruptionBetween } from '../../src/render/disruption.ts'
import { poolFingerprint } from '../../src/render/pool-fingerprint.ts'
import { aFleet, aNode, rendered, WORKERS } from './fleets.ts'

const fleet = (a: string, b = '{}') =>
  aFleet({ 'NodePool workers': `${WORKERS}\nhostProfiles: [a, b]`, 'HostProfile a': a, 'HostProfile b': b })
const problems = (a: string, b?: string) =>
  checkModel(fleet(a, b)).map(({ message, where }) => [message, ...where.map(({ file, line }) => `${file}:${line}`)].join(' | '))
const contentOf = (a: string, b?: string) => rendered(fleet(a, b), aNode('n1')).content

test('edits of several profiles to one file become one entry', () => {
  const { edits } = JSON.parse(
    contentOf(
      'edits: [{path: /etc/hosts, blocks: [{name: x, content: "1\\n"}], lines: [l]}]',
      'edits: [{path: /etc/hosts, blocks: [{name: x, content: "1\\n"}, {name: y, content: "2\\n"}], lines: [l, m]}, {path: /etc/b, lines: [n], comment: ;}]',
    ).host ?? '',
  ) as HostDocument
  expect(edits).toEqual([
    {
      path: '/etc/hosts',
      blocks: [
        { name: 'x', content: '1\n' },
        { name: 'y', content: '2\n' },
      ],
      lines: ['l', 'm'],
    },
    { path: '/etc/b', lines: ['n'], comment: ';' },
  ])
})

test('one block with two contents, and one file with two signs of comments, are refused with both places', () => {
  expect(
    problems(
      'edits: [{path: /etc/hosts, blocks: [{name: x, content: "1"}]}]',
      'edits: [{path: /etc/hosts, comment: ;, blocks: [{name: x, content: "2"}]}]',
    ),
  ).toEqual(
    ['the comment sign of "/etc/hosts"', 'block "x" of "/etc/hosts"'].map(
      (what) =>
        `${what} is set differently by HostProfile "a" and HostProfile "b", and neither goes before the other; set it in one of them only | HostProfile-b.yaml:5 | HostProfile-a.yaml:5`,
    ),
  )
})

test('a file, and an edit of it, are refused; so is an edit of what a section writes', () => {
  expect(problems('edits: [{path: /etc/hosts, lines: [x]}]', 'files: [{path: /etc/hosts, content: x}]')).toEqual([
    'file "/etc/hosts": it is written by edits of HostProfile "a", too; take one of them out | HostProfile-b.yaml:5 | HostProfile-a.yaml:5',
  ])
  expect(problems('edits: [{path: /etc/fstab, lines: [x]}]', 'swap: off')).toEqual([
    'edit of "/etc/fstab": it is written by swap of HostProfile "b", too; take one of them out | HostProfile-a.yaml:5 | HostProfile-b.yaml:5',
  ])
})

test.each([
  ['/etc/hosts', '', 'none', []],
  [
    '/etc/hosts',
    'units: [{name: a.service, restartOn: [/etc/hosts]}]',
    'restart',
    ['host.edits./etc/hosts: a.service restarts on it (restart)'],
  ],
  ['/etc/hosts', 'rebootOn: [/etc/hosts]', 'reboot', ['host.edits./etc/hosts: it counts after a reboot (reboot)']],
  [
    '/etc/containerd/certs.d/r/hosts.toml',
    '',
    'restart',
    ['host.edits./etc/containerd/certs.d/r/hosts.toml: the container runtime pulls images by it (restart)'],
  ],
] as const)('an edit of %s beside "%s" disturbs as a file does: %s', (path, beside, disruption, reasons) => {
  const withLine = (line: string) => contentOf(`edits: [{path: ${path}, lines: [${line}]}]\n${beside}`)
  expect(disruptionBetween(withLine('x'), withLine('y'))).toEqual({ disruption, reasons })
})

const HOSTS = 'edits: [{path: /etc/hosts, blocks: [{name: x, content: "1\\n"}, {name: y, content: "2\\n"}], lines: [l]}]'
const overridden = (...overrides: string[]) =>
  aFleet({
    'NodePool workers': `${WORKERS}\nhostProfiles: [a]`,
    'HostProfile a': HOSTS,
    ...Object.fromEntries(overrides.map((spec, index) => [`NodeOverride o${index}`, spec])),
  })
const editsOf = (name: string, ...overrides: string[]) => {
  const result = createRenderer(overridden(...overrides)).render('workers', aNode(name))
  return result.ok ? JSON.parse(result.content.host ?? '').edits : result.problems.map(({ message }) => message)
}

test('edits of an override come to its node alone: a block of the same name overrides, others and lines are added', () => {
  const override =
    'node: n9\nedits: [{path: /etc/hosts, blocks: [{name: y, content: "own\\n"}, {name: z, content: "3\\n"}], lines: [m]}, {path: /etc/b, lines: [n]}]'
  const [x, y] = [
    { name: 'x', content: '1\n' },
    { name: 'y', content: '2\n' },
  ]
  expect(editsOf('n1', override)).toEqual([{ path: '/etc/hosts', blocks: [x, y], lines: ['l'] }])
  expect(editsOf('n9', override)).toEqual([
    {
      path: '/etc/hosts',
      blocks: [x, { name: 'y', content: 'own\n' }, { name: 'z', content: '3\n' }],
      lines: ['l', 'm'],
    },
    { path: '/etc/b', lines: ['n'] },
  ])
})

test('edits of two overrides that meet on a node must not say different things of one block', () => {
  const overrides = ['one', 'two'].map(
    (content) =>
      `nodeSelector: {matchLabels: {role: worker}}\nedits: [{path: /etc/hosts, blocks: [{name: y, content: ${content}}]}]`,
  )
  expect(editsOf('n1', ...overrides)).toEqual([
    expect.stringContaining('block "y" of "/etc/hosts" is set differently by NodeOverride "o0"'),
  ])
})

test('edits of an override with another sign of comments are refused on its node', () => {
  expect(editsOf('n9', 'node: n9\nedits: [{path: /etc/hosts, comment: ;, lines: [m]}]')).toEqual([
    expect.stringContaining('the comment sign of "/etc/hosts" is set differently by HostProfile "a" and NodeOverride "o0"'),
  ])
})

test('a file of an override that a profile edits, and an edit of a file of a profile or of another override, are refused', () => {
  const clash = 'it is written by edits of'
  expect(editsOf('n9', 'node: n9\nfiles: [{path: /etc/hosts, content: x}]')).toEqual([
    expect.stringContaining(`file "/etc/hosts": ${clash} HostProfile "a", too`),
  ])
  expect(editsOf('n9', 'node: n9\nfiles: [{path: /etc/b, content: x}]', 'node: n9\nedits: [{path: /etc/b, lines: [x]}]')).toEqual(
    [expect.stringContaining(`file "/etc/b": ${clash} NodeOverride "o1", too`)],
  )
})

test('a pool is another one when the edits of an override change', () => {
  const fingerprint = (line: string) =>
    poolFingerprint(overridden(`node: n9\nedits: [{path: /etc/hosts, lines: [${line}]}]`), 'workers')
  expect(fingerprint('a')).not.toBe(fingerprint('b'))
})

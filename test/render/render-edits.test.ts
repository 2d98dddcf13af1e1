import { expect, test } from 'vitest'
import type { HostDocument } from '../../src/protocol/host-document.ts'
import { checkModel } from '../../src/render/check-model.ts'
import { disruptionBetween } from '../../src/render/disruption.ts'
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

import { expect, test } from 'vitest'
import { aDocument, problemsOf } from '../fleets.ts'

const said = (edit: string) =>
  problemsOf({ 'h.yaml': aDocument('HostProfile', 'h', `spec: {edits: [${edit}]}\n`) }).map((problem) =>
    problem.split('\n').slice(2).join(';').trim(),
  )

test('edits of a file of others are accepted', () => {
  expect(said('{path: /etc/hosts, blocks: [{name: registry, content: "10.0.0.1 r\\n"}], lines: ["a b"], comment: "//"}')).toEqual(
    [],
  )
})

test.each([
  ['nothing to add', '{path: /etc/hosts}', 'expected blocks or lines'],
  [
    'a mark in a block',
    '{path: /etc/hosts, blocks: [{name: a, content: "x\\n# END nodewave a\\n"}]}',
    'a block has no marks of nodewave in it',
  ],
  ['a mark as a line', '{path: /etc/hosts, lines: ["# BEGIN nodewave a"]}', 'expected one line with something on it'],
  ['two lines in one', '{path: /etc/hosts, lines: ["a\\nb"]}', 'expected one line with something on it'],
  ['an empty line', '{path: /etc/hosts, lines: [" "]}', 'expected one line with something on it'],
  ['the block of lines', '{path: /etc/hosts, blocks: [{name: lines, content: x}]}', '"lines" is the block of lines'],
  ['a sign with a space', '{path: /etc/hosts, lines: [a], comment: "# "}', 'expected what begins a comment'],
  ['a file that the kubelet reads', '{path: /var/lib/kubelet/config.yaml, lines: [a]}', "it is the kubelet's configuration"],
  [
    'a setting that stops forwarding',
    '{path: /etc/sysctl.d/99-x.conf, lines: ["net.ipv4.ip_forward = 0"]}',
    'sysctl "net.ipv4.ip_forward"',
  ],
])('edits with %s are refused', (_, edit, message) => {
  expect(said(edit).join('\n')).toContain(message)
})

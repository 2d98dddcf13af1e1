import { expect, test } from 'vitest'
import type { RepoFile } from '../../../src/protocol/repo-snapshot.ts'
import { aDocument, problemsOf } from '../fleets.ts'

const profile = (name: string, spec: string) => aDocument('HostProfile', name, `spec: {${spec}}\n`)

function told(files: Readonly<Record<string, string | RepoFile>>): string[] {
  return problemsOf(files).map((problem) => problem.split('\n').slice(2).join(';'))
}

test('a file that is not there names the one that was meant', () => {
  expect(told({ 'h.yaml': profile('h', 'files: [{path: /etc/motd, from: files/modt}]'), 'files/motd': 'hi' })).toEqual([
    '  the repository has no file "files/modt";  did you mean "files/motd"?',
  ])
})

test('a file that is in a folder below names that folder: it may be the fleet', () => {
  expect(
    told({ 'fleet/h.yaml': profile('h', 'files: [{path: /etc/motd, from: files/motd}]'), 'fleet/files/motd': 'hi' }),
  ).toEqual([
    '  the repository has no file "files/motd";  paths are relative to the folder of the fleet; if that is "fleet", name it: nodewave validate fleet',
  ])
})

test.each<[string, RepoFile, string]>([
  [
    'a symlink',
    { kind: 'symlink', target: '/etc/shadow' },
    '  "files/x.txt" is a symlink; symlinks are not followed;  put the file itself there',
  ],
  [
    'a file that was not read',
    { kind: 'tooLarge', size: 10_000_000 },
    '  "files/x.txt" has 10000000 bytes; expected at most 524288',
  ],
  [
    'a file too large for a ConfigMap',
    { kind: 'file', bytes: new Uint8Array(600_000) },
    '  "files/x.txt" has 600000 bytes; expected at most 524288',
  ],
  [
    'a pointer of Git LFS',
    {
      kind: 'file',
      bytes: Buffer.from(`version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12345\n`),
    },
    '  "files/x.txt" is a Git LFS pointer; LFS files are not fetched;  git lfs untrack it, and commit the file itself',
  ],
])('content that is %s is refused', (_, file, message) => {
  expect(told({ 'h.yaml': profile('h', 'files: [{path: /etc/x, from: files/x.txt}]'), 'files/x.txt': file })).toEqual([message])
})

test('an override’s files are looked for as well', () => {
  expect(
    told({ 'o.yaml': aDocument('NodeOverride', 'o', 'spec: {node: n, files: [{path: /etc/x, from: gone}]}\n') })[0],
  ).toContain('the repository has no file "gone"')
})

test('a profile that claims a place twice is refused where it does so the second time', () => {
  const files =
    'files: [{path: /etc/a, content: x}, {path: /etc/a, state: absent}], units: [{name: a.service}, {name: a.service}]'

  expect(told({ 'h.yaml': profile('h', files) })).toEqual(['  file /etc/a is defined twice', '  unit a.service is defined twice'])
})

test('two profiles of one pool that claim the same place are refused at the pool', () => {
  const pool = aDocument('NodePool', 'p', 'spec: {nodeSelector: {matchLabels: {}}, hostProfiles: [a, b]}\n')
  const files = {
    'a.yaml': profile('a', 'files: [{path: /etc/a, content: x}]'),
    'b.yaml': profile('b', 'files: [{path: /etc/a, content: y}]'),
  }

  expect(problemsOf(files)).toEqual([])
  expect(problemsOf({ ...files, 'p.yaml': pool })).toEqual([
    `p.yaml:4:59  spec: {nodeSelector: {matchLabels: {}}, hostProfiles: [a, b]}
                                                                       ^
  profiles "a" and "b" both claim file /etc/a (b.yaml:4:23)`,
  ])
})

import { expect, test } from 'vitest'
import { filesAfter, revertedFiles } from '../../../src/controller/revert/reverted-files.ts'
import type { RepoFile } from '../../../src/protocol/repo-snapshot.ts'

function tree(files: Readonly<Record<string, string>>): ReadonlyMap<string, RepoFile> {
  return new Map(Object.entries(files).map(([path, text]) => [path, { kind: 'file', bytes: Buffer.from(text) }]))
}

function texts(files: ReadonlyMap<string, RepoFile>): Record<string, string> {
  return Object.fromEntries(
    [...files].map(([path, file]) => [path, file.kind === 'file' ? Buffer.from(file.bytes).toString() : '']),
  )
}

test('a revert restores, brings back and removes what the commit changed, removed and added', () => {
  const good = tree({ changed: '1', removed: 'r', same: 's' })
  const failed = tree({ changed: '2', added: 'a', same: 's' })
  const head = tree({ changed: '2', added: 'a', same: 's', later: 'l' })
  const reverted = revertedFiles({ good, failed, head })
  expect(reverted.conflicts).toEqual([])
  expect(reverted.files.map(({ path, before, after }) => [path, before?.toString(), after?.toString()])).toEqual([
    ['added', 'a', undefined],
    ['changed', '2', '1'],
    ['removed', undefined, 'r'],
  ])
  expect(texts(filesAfter(head, reverted))).toEqual({ changed: '1', removed: 'r', same: 's', later: 'l' })
})

test('a revert leaves alone what somebody restored already', () => {
  const [good, failed] = [tree({ a: '1', b: '1' }), tree({ a: '2', b: '2' })]
  const { files, conflicts } = revertedFiles({ good, failed, head: tree({ a: '1', b: '2' }) })
  expect([files.map(({ path }) => path), conflicts]).toEqual([['b'], []])
})

test('a file that changed again since is a conflict', () => {
  const [good, failed] = [tree({ a: '1' }), tree({ a: '2' })]
  expect(revertedFiles({ good, failed, head: tree({ a: '3' }) }).conflicts).toEqual(['a'])
  expect(revertedFiles({ good, failed, head: tree({}) }).conflicts).toEqual(['a'])
})

test('what is no plain file is a conflict', () => {
  const link = new Map<string, RepoFile>([['a', { kind: 'symlink', target: '/etc/shadow' }]])
  expect(revertedFiles({ good: link, failed: tree({ a: '2' }), head: tree({ a: '2' }) }).conflicts).toEqual(['a'])
})

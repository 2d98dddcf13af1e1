import { chmod, mkdir, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { objectStore } from '../../src/gitsync/object-store.ts'
import { readCommit } from '../../src/gitsync/read-commit.ts'
import { readSnapshot } from '../../src/gitsync/read-snapshot.ts'
import { snapshotCache } from '../../src/gitsync/snapshot-cache.ts'
import { type GitFixture, gitFixture } from './git-fixture.ts'

/** Commits in which names, kinds and folders of equal contents change. */
async function history(it: GitFixture): Promise<readonly string[]> {
  const commits = [await it.commit('first', { 'fleet/a.yaml': 'same', 'fleet/sub/b.yaml': 'b', 'other/a.yaml': 'same' })]
  commits.push(await it.commit('changed', { 'fleet/a.yaml': 'other' }))
  await it.git('mv', 'fleet/sub', 'fleet/moved')
  commits.push(await it.commit('moved'))
  await rm(join(it.work, 'fleet/a.yaml'))
  await symlink('same', join(it.work, 'fleet/a.yaml'))
  commits.push(await it.commit('a link with the text of a file'))
  await rm(join(it.work, 'fleet/a.yaml'))
  commits.push(await it.commit('a file again', { 'fleet/a.yaml': 'same' }))
  await chmod(join(it.work, 'fleet/a.yaml'), 0o755)
  commits.push(await it.commit('executable'))
  await rm(join(it.work, 'fleet/a.yaml'))
  await mkdir(join(it.work, 'fleet/a.yaml'))
  commits.push(await it.commit('a folder of its name', { 'fleet/a.yaml/c.yaml': 'same' }))
  await rm(join(it.work, 'fleet'), { recursive: true })
  commits.push(await it.commit('no folder'))
  return commits
}

test('a cache that readings share answers for each commit and folder what a reading without it does', async () => {
  await using it = await gitFixture()
  const commits = await history(it)
  const store = objectStore(join(it.work, '.git'))
  const shared = snapshotCache()
  for (const folder of ['fleet', '', 'other', 'fleet/sub', 'nowhere'])
    for (const commit of [...commits, ...commits.toReversed(), commits[0] ?? '']) {
      const alone = await readSnapshot(store, commit, { folder })
      expect(await readSnapshot(store, commit, { folder, cache: shared })).toEqual(alone)
    }
})

test('a cache holds what the last reading needed, and nothing of those before', async () => {
  await using it = await gitFixture()
  const commits = await history(it)
  const shared = snapshotCache()
  for (const commit of commits) await readCommit(it.work, commit, shared)
  // What is left is the root and one folder with one file.
  expect([shared.trees.size, shared.blobs.size]).toEqual([2, 1])
})

test('a reading that fails leaves the cache as it was', async () => {
  await using it = await gitFixture()
  const first = await it.commit('first', { 'a.yaml': 'a' })
  const second = await it.commit('second', { 'a.yaml': 'b', 'c.yaml': 'c' })
  const blob = await it.git('rev-parse', 'HEAD:c.yaml')
  const shared = snapshotCache()
  const before = await readCommit(it.work, first, shared)
  await rm(join(it.work, '.git/objects', blob.slice(0, 2), blob.slice(2)))
  await expect(readCommit(it.work, second, shared)).rejects.toThrow()
  expect([shared.trees.size, shared.blobs.size]).toEqual([1, 1])
  expect(await readCommit(it.work, first, shared)).toEqual(before)
})

test('a cache holds no file that did not fit, so a commit of any size takes no more memory than a fleet may have', async () => {
  await using it = await gitFixture()
  const files = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`${n}.txt`, `${n}`.padEnd(4 * 1024 * 1024)]))
  const large = await it.commit('large', files)
  const shared = snapshotCache()
  const { files: read } = await readCommit(it.work, large, shared)
  const held = [...shared.blobs.values()].map((file) => (file.kind === 'file' ? file.bytes.length : 0))
  expect([read.size, held.length, held.reduce((sum, bytes) => sum + bytes, 0)]).toEqual([20, 16, 64 * 1024 * 1024])
  await it.git('rm', '--quiet', ...Object.keys(files).filter((name) => name !== '8.txt' && name !== '9.txt'))
  const small = await it.commit('small')
  expect([...(await readCommit(it.work, small, shared)).files.values()].map(({ kind }) => kind)).toEqual(['file', 'file'])
})

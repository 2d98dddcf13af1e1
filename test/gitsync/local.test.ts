import { randomBytes } from 'node:crypto'
import { chmod, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readCommit } from '../../src/gitsync/read-commit.ts'
import { readWorkingTree } from '../../src/gitsync/working-tree.ts'
import type { RepoFile } from '../../src/protocol/repo-snapshot.ts'
import { gitFixture } from './git-fixture.ts'

function shape(files: ReadonlyMap<string, RepoFile>): Record<string, unknown> {
  const text = (file: RepoFile) => (file.kind === 'file' ? Buffer.from(file.bytes).toString() : file)
  return Object.fromEntries([...files].map(([path, file]) => [path, text(file)]))
}

test('readCommit gives a commit as data, with its author, time and parents', async () => {
  await using it = await gitFixture()
  const parent = await it.commit('first', { 'fleet.yaml': 'one' })
  const commit = await it.commit('second\n\nwith a body', { 'fleet.yaml': 'two', 'pools/a.yaml': 'a' })
  const snapshot = await readCommit(it.work, 'HEAD')
  expect({ ...snapshot, files: shape(snapshot.files) }).toEqual({
    commit,
    author: { name: 'Ada', email: 'ada@example.invalid' },
    committedAt: 1_700_000_100_000,
    message: 'second\n\nwith a body\n',
    parents: [parent],
    files: { 'fleet.yaml': 'two', 'pools/a.yaml': 'a' },
  })
})

test('readCommit names what is no plain file, and reads none of it', async () => {
  await using it = await gitFixture()
  await symlink('/etc/passwd', join(it.work, 'link'))
  await it.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},module`)
  await it.commit('odd', { large: 'x'.repeat(4 * 1024 * 1024 + 1) })
  expect(shape((await readCommit(it.work, 'HEAD')).files)).toEqual({
    large: { kind: 'tooLarge', size: 4_194_305 },
    link: { kind: 'symlink', target: '/etc/passwd' },
  })
})

test('readCommit names a submodule', async () => {
  await using it = await gitFixture()
  await it.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},module`)
  await it.git('commit', '--quiet', '--message', 'module')
  expect(shape((await readCommit(it.work, 'HEAD')).files)).toEqual({ module: { kind: 'submodule' } })
})

test('readCommit reads only the folder when the path is below the root', async () => {
  await using it = await gitFixture()
  await it.commit('first', { 'deploy/fleet/pool.yaml': 'pool', 'README.md': 'no' })
  expect(shape((await readCommit(join(it.work, 'deploy', 'fleet'), 'HEAD')).files)).toEqual({ 'pool.yaml': 'pool' })
})

test('readCommit understands every usual way to name a commit', async () => {
  await using it = await gitFixture()
  const first = await it.commit('first')
  const second = await it.commit('second')
  await it.git('tag', 'light')
  await it.git('tag', '--annotate', '--message', 'release', 'v1', first)
  await it.git('checkout', '--quiet', '-b', 'team/side', first)
  const side = await it.commit('side')
  await it.git('checkout', '--quiet', 'main')
  await it.git('merge', '--quiet', '--no-ff', '--message', 'merge', 'team/side')
  const merge = await it.git('rev-parse', 'HEAD')
  const named = async (revision: string) => (await readCommit(it.work, revision)).commit
  const expected = {
    main: merge,
    HEAD: merge,
    'HEAD~1': second,
    'HEAD^': second,
    'HEAD^2': side,
    'HEAD~2': first,
    'HEAD^2~1': first,
    'HEAD~~': first,
    'HEAD^0': merge,
    light: second,
    v1: first,
    'v1^0': first,
    'team/side': side,
    'refs/heads/team/side': side,
    [merge]: merge,
    [second.slice(0, 10)]: second,
  }
  for (const [revision, commit] of Object.entries(expected)) expect([revision, await named(revision)]).toEqual([revision, commit])
})

test.for(['no-such', 'HEAD~9', 'HEAD^3', '', 'zzzzzzz'])('readCommit fails when the revision is "%s"', async (revision) => {
  await using it = await gitFixture()
  await it.commit('first')
  await expect(readCommit(it.work, revision)).rejects.toMatchObject({
    message: `failed to find revision "${revision}" in "${it.work}/.git"; name a branch, a tag or a commit that it has`,
    reason: 'RevisionNotFound',
  })
})

test('readCommit fails when there is no repository', async () => {
  await expect(readCommit('/', 'HEAD')).rejects.toThrow('failed to find a Git repository at "/"')
})

test('readCommit takes HEAD of the linked worktree that it is given', async () => {
  await using it = await gitFixture()
  const first = await it.commit('first')
  await it.commit('second')
  await it.git('worktree', 'add', '--quiet', '--detach', join(it.folder, 'linked'), first)
  expect((await readCommit(join(it.folder, 'linked'), 'HEAD')).commit).toBe(first)
})

test('readCommit refuses a commit when a path in it leads out', async () => {
  await using it = await gitFixture()
  await it.commit('first', { 'fleet.yaml': 'one' })
  const blob = await it.git('rev-parse', 'HEAD:fleet.yaml')
  const tree = Buffer.concat([Buffer.from('100644 ..\0'), Buffer.from(blob, 'hex')])
  const evil = await import('isomorphic-git').then(async ({ writeObject }) =>
    writeObject({ fs: await import('node:fs'), gitdir: join(it.work, '.git'), type: 'tree', object: tree, format: 'content' }),
  )
  const commit = await it.git('commit-tree', '-m', 'evil', evil)
  await expect(readCommit(it.work, commit)).rejects.toMatchObject({
    reason: 'UnsafePath',
    message: `refuse commit "${commit}": it holds a path that leads elsewhere, ".."`,
  })
})

test('readCommit refuses a commit when its trees name each other without end', async () => {
  await using it = await gitFixture()
  await it.commit('first', { 'fleet.yaml': 'one' })
  let tree = await it.git('rev-parse', 'HEAD^{tree}')
  const { writeTree } = await import('isomorphic-git')
  const fs = await import('node:fs')
  for (let level = 0; level < 10; level++) {
    const entries = Array.from({ length: 10 }, (_, n) => ({ mode: '040000', path: `d${n}`, oid: tree, type: 'tree' as const }))
    tree = await writeTree({ fs, gitdir: join(it.work, '.git'), tree: entries })
  }
  const commit = await it.git('commit-tree', '-m', 'bomb', tree)
  await expect(readCommit(it.work, commit)).rejects.toMatchObject({
    reason: 'TooManyFiles',
    message: `refuse commit "${commit}": its folder has more than 20000 entries`,
  })
})

test('readWorkingTree gives what is on disk, committed or not, and follows no symlink', async () => {
  await using it = await gitFixture()
  await it.commit('first', { 'fleet.yaml': 'one', 'pools/a.yaml': 'a', large: 'x'.repeat(4 * 1024 * 1024 + 1) })
  await it.git('rm', '--quiet', '--cached', 'pools/a.yaml')
  await symlink('/etc', join(it.work, 'pools', 'link'))
  expect(shape(await readWorkingTree(it.work))).toEqual({
    'fleet.yaml': 'one',
    large: { kind: 'tooLarge', size: 4_194_305 },
    'pools/a.yaml': 'a',
    'pools/link': { kind: 'symlink', target: '/etc' },
  })
})

test('readWorkingTree fails when there is no such folder', async () => {
  await expect(readWorkingTree('/does/not/exist')).rejects.toThrow('failed to read folder "/does/not/exist": ENOENT')
  await expect(readWorkingTree(import.meta.filename)).rejects.toThrow('ENOTDIR')
})

test('a commit that a shallow clone lacks is told with how to get it', async () => {
  await using it = await gitFixture()
  await it.commit('first', { 'fleet.yaml': 'one' })
  await it.commit('second', { 'fleet.yaml': 'two' })
  await it.git('clone', '--quiet', '--depth=1', `file://${it.work}`, '../shallow')
  await expect(readCommit(join(it.folder, 'shallow'), 'HEAD~1')).rejects.toThrow(
    /; the clone has only a part of the history: run git fetch --unshallow; nodewave plan --pr needs no history$/,
  )
})

test.for<[string, readonly string[], string, string]>([
  [
    'leaves out files',
    ['-c', 'protocol.file.allow=always', 'clone', '--quiet', '--no-checkout', '--filter=blob:none', 'file://WORK', '../other'],
    'an object of it is missing; the clone leaves out files until they are needed: run git fetch --refetch --no-filter',
    'fetch --quiet --refetch --no-filter',
  ],
  [
    'borrows objects of another one',
    ['clone', '--quiet', '--shared', 'WORK', '../other'],
    'the clone borrows objects of another repository: run git repack -ad, and remove objects/info/alternates in its .git',
    'repack -adq',
  ],
])('a clone that %s is told with what helps', async ([, clone, told, remedy]) => {
  await using it = await gitFixture()
  await it.git('config', 'uploadpack.allowFilter', 'true')
  await it.commit('first', { 'fleet.yaml': 'one' })
  await it.git(...clone.map((word) => word.replace('WORK', it.work)))
  const other = join(it.folder, 'other')
  await expect(readCommit(other, 'HEAD')).rejects.toMatchObject({ name: 'GitSyncError', message: expect.stringContaining(told) })
  await it.git('-C', other, ...remedy.split(' '))
  await rm(join(other, '.git/objects/info/alternates'), { force: true })
  expect(shape((await readCommit(other, 'HEAD')).files)).toEqual({ 'fleet.yaml': 'one' })
})

test('a repository on this machine with SHA-256 ids is told as one that is not read', async () => {
  await using it = await gitFixture()
  await it.git('init', '--quiet', '--object-format=sha256', '../other')
  await it.git('-C', '../other', 'commit', '--quiet', '--allow-empty', '--message', 'first')
  await expect(readCommit(join(it.folder, 'other'), 'HEAD')).rejects.toThrow('it has SHA-256 ids, which are not read')
})

test.for([40, 300])(
  'a clone whose pack is damaged at byte %i is told as damaged, and not as one without the commit',
  async (at) => {
    await using it = await gitFixture()
    await it.commit('first', { 'fleet.yaml': randomBytes(1000).toString('hex') })
    await it.git('repack', '-adq')
    const folder = join(it.work, '.git/objects/pack')
    const pack = join(folder, (await readdir(folder)).find((name) => name.endsWith('.pack')) ?? '')
    const bytes = await readFile(pack)
    bytes[at] = (bytes[at] ?? 0) ^ 255
    await chmod(pack, 0o600)
    await writeFile(pack, bytes)
    await expect(readCommit(it.work, 'HEAD')).rejects.toMatchObject({
      reason: 'CorruptPack',
      message: `failed to read "${join(it.work, '.git')}": objects of it are damaged; run git fsck in it, or clone it again`,
    })
  },
)

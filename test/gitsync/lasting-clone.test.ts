import { readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { objectStore } from '../../src/gitsync/object-store.ts'
import { readSnapshot } from '../../src/gitsync/read-snapshot.ts'
import { brief, startFollow, startRemote } from './follow-fixture.ts'

const { signal } = new AbortController()
type Remote = Awaited<ReturnType<typeof startRemote>>

const bare = (remote: Remote) => join(remote.folder, 'root', 'fleet.git')

async function namesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name)
}

/** What Git does by itself now and then, and at once with what nobody refers to. */
async function collectGarbage(remote: Remote): Promise<void> {
  await remote.git('-C', bare(remote), 'reflog', 'expire', '--expire=now', '--all')
  await remote.git('-C', bare(remote), 'gc', '--quiet', '--prune=now')
}

test('a clone is made again after so many fetches: its files are bounded, and each fetch finds its commit', async () => {
  await using remote = await startRemote()
  await remote.push('first', { 'fleet/a.yaml': '0', 'fleet/b.yaml': 'b', 'other.txt': 'o' })
  const source = remote.source({ folder: 'fleet', maxFetches: 3 })
  const counts: number[] = []
  for (let n = 1; n <= 7; n++) {
    const pushed = await remote.push(`change ${n}`, { 'fleet/a.yaml': `${n}` })
    const { commit, gitdir } = await source.fetch(signal)
    expect(commit).toBe(pushed)
    const { files } = await readSnapshot(objectStore(gitdir), commit, { folder: 'fleet' })
    expect(Buffer.from(Object(files.get('a.yaml')).bytes).toString()).toBe(`${n}`)
    await source.tidy(signal)
    counts.push((await namesBelow(join(gitdir, 'objects'))).length)
  }
  // Commit, two folders and two files; then four more a commit.
  expect(counts).toEqual([5, 9, 13, 5, 9, 13, 5])
})

test.for(['', 'fleet'])(
  'a commit whose history was taken back and cleared away on the server is followed by another one (folder "%s")',
  async (folder) => {
    await using remote = await startRemote()
    const first = await remote.push('first', { 'fleet/a.yaml': 'a', 'fleet/b.yaml': 'b' })
    await remote.push('second', { 'fleet/a.yaml': 'second' })
    await using it = startFollow(remote.source({ folder }), { folder, mayRewrite: () => true })
    await it.next()
    await remote.git('reset', '--quiet', '--hard', first)
    const third = await remote.push('third', { 'fleet/b.yaml': 'third' })
    await collectGarbage(remote)
    it.pollNow()
    const event = await it.next()
    expect(brief(event)).toEqual(['snapshot', third])
    const files = event?.type === 'snapshot' ? event.snapshot.files : new Map()
    const text = (path: string) => Buffer.from(Object(files.get(path)).bytes).toString()
    const at = folder === '' ? 'fleet/' : ''
    expect([text(`${at}a.yaml`), text(`${at}b.yaml`)]).toEqual(['a', 'third'])
  },
)

test('a branch that goes back to a commit that was fetched before, and forth again, is read each time', async () => {
  await using remote = await startRemote()
  const commits = [
    await remote.push('one', { 'a.yaml': '1' }),
    await remote.push('two', { 'a.yaml': '2' }),
    await remote.push('three', { 'a.yaml': '3' }),
  ]
  await using it = startFollow(remote.source(), { mayRewrite: () => true })
  await it.next()
  for (const at of [0, 2, 1, 2, 0]) {
    await remote.git('push', '--quiet', '--force', 'origin', `${commits[at]}:refs/heads/main`)
    it.pollNow()
    const event = await it.next()
    expect(brief(event)).toEqual(['snapshot', commits[at]])
    expect(event?.type === 'snapshot' && Buffer.from(Object(event.snapshot.files.get('a.yaml')).bytes).toString()).toBe(
      `${at + 1}`,
    )
  }
})

test('a server whose own repository is shallow is followed, and history that it does not have is unknown', async () => {
  await using remote = await startRemote()
  const first = await remote.push('first', { 'a.yaml': '1' })
  for (let n = 0; n < 4; n++) await remote.push(`more ${n}`, { 'a.yaml': `more ${n}` })
  const shallow = join(remote.folder, 'root', 'shallow.git')
  await remote.git('clone', '--quiet', '--bare', '--depth=2', `file://${bare(remote)}`, shallow)
  const head = await remote.git('rev-parse', 'HEAD')
  const url = remote.url.replace('fleet.git', 'shallow.git')
  await using it = startFollow(remote.source({ url }))
  expect(brief(await it.next())).toEqual(['snapshot', head])
  await using again = startFollow(remote.source({ url, directory: join(remote.folder, 'again') }), { lastAccepted: first })
  expect(brief(await again.next())).toEqual(['refused', head, 'AncestryUnknown'])
})

test('an empty repository is told as such, and its first commit is taken', async () => {
  await using remote = await startRemote()
  await using it = startFollow(remote.source())
  const event = await it.next()
  expect(brief(event)).toEqual(['trouble', 'BranchNotFound', 1000])
  expect(event).toMatchObject({ error: { message: expect.stringContaining('it is empty, or has SHA-256 ids') } })
  const first = await remote.push('first')
  it.pollNow()
  expect(brief(await it.next())).toBe('recovered')
  expect(brief(await it.next())).toEqual(['snapshot', first])
})

test('a repository with SHA-256 ids is told as one that is not read', async () => {
  await using remote = await startRemote()
  const other = join(remote.folder, 'sha256')
  await remote.git('init', '--quiet', '--object-format=sha256', '--initial-branch=main', other)
  await remote.git('-C', other, 'commit', '--quiet', '--allow-empty', '--message', 'first')
  await remote.git('clone', '--quiet', '--bare', other, join(remote.folder, 'root', 'sha256.git'))
  const source = remote.source({ url: remote.url.replace('fleet.git', 'sha256.git') })
  await expect(source.fetch(signal)).rejects.toMatchObject({ message: expect.stringContaining('SHA-256') })
})

test('what a process left that was killed in the middle is thrown away by the next one', async () => {
  await using remote = await startRemote()
  await remote.push('first', { 'a.yaml': 'a' })
  const { gitdir } = await remote.source().fetch(signal)
  const [folder = ''] = (await readdir(join(gitdir, 'objects'))).filter((name) => name.length === 2)
  const [name = ''] = await readdir(join(gitdir, 'objects', folder))
  for (const half of [join('objects', folder, name), 'incoming', 'objects/pack/writing', 'objects/pack/pack-1.idx', 'shallow'])
    await writeFile(join(gitdir, half), 'half')
  const second = await remote.push('second', { 'b.yaml': 'b' })
  const { commit } = await remote.source().fetch(signal)
  expect(commit).toBe(second)
  expect([...(await readSnapshot(objectStore(gitdir), second, { folder: '' })).files.keys()]).toEqual(['a.yaml', 'b.yaml'])
})

test('a full disk is told as such, and the next try begins from nothing', async () => {
  await using remote = await startRemote()
  await remote.push('first', { 'a.yaml': 'a' })
  await using it = startFollow(remote.source())
  await it.next()
  await symlink('/dev/full', join(remote.folder, 'objects', 'clone', 'incoming'))
  const second = await remote.push('second', { 'a.yaml': 'b' })
  it.pollNow()
  const event = await it.next()
  expect(brief(event)).toEqual(['trouble', 'DiskFull', 1000])
  expect(event).toMatchObject({ error: { message: expect.stringContaining('ENOSPC') } })
  const recovered = it.next()
  await it.timers.pass(1000)
  expect(brief(await recovered)).toBe('recovered')
  expect(brief(await it.next())).toEqual(['snapshot', second])
})

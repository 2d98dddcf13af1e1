import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { objectStore } from '../../src/gitsync/object-store.ts'
import { readSnapshot } from '../../src/gitsync/read-snapshot.ts'
import { brief, startFollow } from './follow-fixture.ts'
import { aCommit, aTree, hostileServer, line, made } from './hostile-server-fixture.ts'

const { signal } = new AbortController()
const blob = made('blob', 'kind: NodePool\n')
const tree = aTree([['100644', 'pool.yaml', blob.id]])
/** As long as an id. */
const DEVICE = '../../../../../../../../../../../dev/zero'.padEnd(40, '/').slice(-40)

async function thrown(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  )
}

test('what an honest server of the oldest kind sends is read', async () => {
  const commit = aCommit(tree.id)
  await using it = await hostileServer({ head: commit.id, objects: [commit, tree, blob] })
  const { gitdir } = await it.source.fetch(signal)
  expect([...(await readSnapshot(objectStore(gitdir), commit.id, { folder: '' })).files.keys()]).toEqual(['pool.yaml'])
})

test('a branch that names no id, but a file of this machine, is refused, and the file is not read', async () => {
  await using it = await hostileServer({ head: DEVICE })
  expect(await thrown(it.source.head(signal))).toMatchObject({
    reason: 'CorruptPack',
    message: expect.stringContaining(`"${DEVICE}" is not the id of an object`),
  })
})

const commit = aCommit(tree.id)
const tag = (of: string, type = 'commit') => made('tag', `object ${of}\ntype ${type}\ntag v1\ntagger A <a> 1 +0000\n\nv1\n`)

test.for<[string, Parameters<typeof hostileServer>[0], string]>([
  [
    'a parent that is a path',
    { head: aCommit(tree.id, `parent ${DEVICE}\n`).id, objects: [aCommit(tree.id, `parent ${DEVICE}\n`), tree, blob] },
    'names its tree or its parents',
  ],
  ['a tree that is a path', { head: aCommit(DEVICE).id, objects: [aCommit(DEVICE)] }, 'names its tree or its parents'],
  ['a tag of a path', { head: tag(DEVICE).id, objects: [tag(DEVICE)] }, 'is a tag of no commit'],
  ['a tag of a file', { head: tag(blob.id, 'blob').id, objects: [tag(blob.id, 'blob'), blob] }, 'is not in it'],
  [
    'a file that reads as a commit',
    { head: made('blob', `tree ${tree.id}\n\n`).id, objects: [made('blob', `tree ${tree.id}\n\n`), tree, blob] },
    'is not in it',
  ],
  [
    'another commit than it names',
    { head: '1'.repeat(40), objects: [commit, tree, blob] },
    `object "${'1'.repeat(40)}" is not in it`,
  ],
  ['a commit without its tree', { head: commit.id, objects: [commit] }, `tree "${tree.id}" is not in it`],
  ['a commit without its files', { head: commit.id, objects: [commit, tree] }, '1 files are not in it'],
  ['nothing', { head: commit.id, answer: line('NAK\n') }, `object "${commit.id}" is not in it`],
  ['no packets', { head: commit.id, answer: '<html>' }, 'does not send it in packets'],
  [
    'history that ends at a path',
    { head: commit.id, objects: [commit, tree, blob], before: line(`shallow ${DEVICE}\n`) },
    'is not the id of an object',
  ],
  ['an error of its own', { head: commit.id, answer: line('ERR \x1b[31mgo away\x07\n') }, 'the server says: [31mgo away'],
  [
    'an error within the pack',
    { head: commit.id, answer: line('NAK\n') + line('\x03out of memory\n') },
    'the server says: out of memory',
  ],
])('a server that sends %s is refused by name', async ([, answers, message]) => {
  await using it = await hostileServer(answers)
  const error = await thrown(it.source.fetch(signal))
  expect(error).toMatchObject({ name: 'GitSyncError', message: expect.stringContaining(message) })
  expect(Object(error).reason).toMatch(/^(CorruptPack|RefusedByServer|RevisionNotFound)$/)
})

test.for<[number, string]>([
  [401, 'Unauthorized'],
  [403, 'Unauthorized'],
  [404, 'RepositoryNotFound'],
  [500, 'Unreachable'],
])(
  'a server that answers %i where a pack is asked for is told as such, though a page comes with it',
  async ([status, reason]) => {
    await using it = await hostileServer({ head: commit.id, status, answer: '<html>sorry</html>' })
    expect(await thrown(it.source.fetch(signal))).toMatchObject({ reason })
  },
)

const twice = made('blob', 'kind: NodePool # another\n')

test.for<[string, Parameters<typeof aTree>[0] | Buffer, string, string]>([
  ['leads out', [['100644', '..', blob.id]], 'UnsafePath', 'a path that leads elsewhere, ".."'],
  ['has a path for a name', [['100644', 'a/b.yaml', blob.id]], 'UnsafePath', '"a/b.yaml"'],
  ['holds what Git keeps', [['40000', '.GIT', tree.id]], 'UnsafePath', '".GIT"'],
  ['has an empty name', [['100644', '', blob.id]], 'UnsafePath', '""'],
  [
    'has a name twice',
    [
      ['100644', 'pool.yaml', blob.id],
      ['100644', 'pool.yaml', twice.id],
    ],
    'MalformedTree',
    '"pool.yaml" twice',
  ],
  [
    'has a name as file and folder',
    [
      ['100644', 'pool.yaml', blob.id],
      ['100644', 'x', blob.id],
      ['40000', 'pool.yaml', tree.id],
    ],
    'MalformedTree',
    '"pool.yaml" twice',
  ],
  [
    'is cut off',
    Buffer.concat([Buffer.from('100644 pool.yaml\0'), Buffer.alloc(7)]),
    'MalformedTree',
    'is no tree as Git writes it',
  ],
  [
    'has no modes',
    Buffer.concat([Buffer.from('rw-r--r-- pool.yaml\0'), Buffer.alloc(20)]),
    'MalformedTree',
    'is no tree as Git writes it',
  ],
  ['has a folder for a file', [['100644', 'pool.yaml', tree.id]], 'MalformedTree', '"pool.yaml" is a tree, not a file'],
  ['has a file for a folder', [['40000', 'pools', blob.id]], 'MalformedTree', 'is no tree as Git writes it'],
])('a commit whose tree %s is refused once, and not fetched again', async ([, entries, reason, message]) => {
  const root = Buffer.isBuffer(entries) ? made('tree', entries) : aTree(entries)
  const commit = aCommit(root.id)
  await using it = await hostileServer({ head: commit.id, objects: [commit, root, tree, blob, twice] })
  await using follow = startFollow(it.source)
  const event = await follow.next()
  expect(brief(event)).toEqual(['refused', commit.id, reason])
  expect(event).toMatchObject({ message: expect.stringContaining(message) })
})

test('entries with modes of older versions of Git, and links and submodules, are what Git takes them for', async () => {
  const root = aTree([
    ['100664', 'a.yaml', blob.id],
    ['0100755', 'b.yaml', blob.id],
    ['120000', 'link', blob.id],
    ['160000', 'module', '2'.repeat(40)],
    ['040000', 'sub', tree.id],
  ])
  const commit = aCommit(root.id)
  await using it = await hostileServer({ head: commit.id, objects: [commit, root, tree, blob] })
  const { gitdir } = await it.source.fetch(signal)
  const { files } = await readSnapshot(objectStore(gitdir), commit.id, { folder: '' })
  expect([...files].map(([path, { kind }]) => [path, kind])).toEqual([
    ['a.yaml', 'file'],
    ['b.yaml', 'file'],
    ['link', 'symlink'],
    ['module', 'submodule'],
    ['sub/pool.yaml', 'file'],
  ])
})

test('a server that names its refs and links out of the folder writes nothing there', async () => {
  const capabilities =
    'shallow side-band-64k symref=refs/heads/main:refs/heads/../../../../out symref=refs/heads/../../../../out:refs/heads/main'
  await using it = await hostileServer({ head: commit.id, capabilities, objects: [commit, tree, blob] })
  await it.source.fetch(signal)
  expect(await readdir(it.folder)).toEqual(['objects'])
  expect(await readdir(join(it.folder, 'objects'))).toEqual(['clone'])
})

test('the names of other branches are told on one line, without what a terminal would obey, and not in full length', async () => {
  await using it = await hostileServer({ head: commit.id, branch: `refs/heads/\x1b[2J${'x'.repeat(5000)}` })
  const error = await thrown(it.source.head(signal))
  expect(error).toMatchObject({ reason: 'BranchNotFound' })
  const { message } = error as Error
  expect(message).not.toContain('\x1b')
  expect(message.length).toBeLessThan(1000)
})

test('tags of tags without end are refused', async () => {
  const tags = [tag(commit.id)]
  for (let n = 0; n < 60; n++) tags.push(tag(tags.at(-1)?.id ?? '', 'tag'))
  await using it = await hostileServer({ head: tags.at(-1)?.id ?? '', objects: [...tags, commit, tree, blob] })
  expect(await thrown(it.source.fetch(signal))).toMatchObject({ reason: 'RevisionNotFound' })
})

test('of another commit that comes with the wanted one nothing is looked for', async () => {
  const other = aCommit('3'.repeat(40))
  await using it = await hostileServer({ head: commit.id, objects: [other, commit, tree, blob] })
  const { gitdir } = await it.source.fetch(signal)
  expect([...(await readSnapshot(objectStore(gitdir), commit.id, { folder: '' })).files.keys()]).toEqual(['pool.yaml'])
})

test('a tag of a tag brings the files of its commit', async () => {
  const outer = tag(tag(commit.id).id, 'tag')
  await using it = await hostileServer({ head: outer.id, objects: [outer, tag(commit.id), commit, tree, blob] })
  const { gitdir, commit: found } = await it.source.fetch(signal)
  expect(found).toBe(commit.id)
  expect([...(await readSnapshot(objectStore(gitdir), commit.id, { folder: '' })).files.keys()]).toEqual(['pool.yaml'])
})

test('folders within folders without end are refused, also when all but the newest commit knew them', async () => {
  const folders = [tree]
  for (let depth = 0; depth < 600; depth++) folders.push(aTree([['40000', 'a', folders.at(-1)?.id ?? '']]))
  const deep = aCommit(folders.at(-1)?.id ?? '')
  await using it = await hostileServer({ head: deep.id, objects: [deep, ...folders, blob] })
  await using follow = startFollow(it.source)
  const event = await follow.next()
  expect(brief(event)).toEqual(['refused', deep.id, 'UnsafePath'])
  expect(event).toMatchObject({ message: expect.stringContaining('a path longer than 1024 characters, "a/a/a/') })
})

test.for<[string, string, string]>([
  ['the fleet folder', '', 'its folder has more than 20000 entries'],
  ['a folder on the way to it', 'fleet', 'a folder on the way to "fleet" has more than 20000 entries'],
])('%s with too many entries is refused', async ([, folder, message]) => {
  const many = aTree(Array.from({ length: 20_001 }, (_, n) => ['100644', `${String(n).padStart(5, '0')}.yaml`, blob.id]))
  const full = aCommit(many.id)
  await using it = await hostileServer({ head: full.id, objects: [full, many, blob] }, { folder })
  await using follow = startFollow(it.source, { folder })
  const event = await follow.next()
  expect(brief(event)).toEqual(['refused', full.id, 'TooManyFiles'])
  expect(event).toMatchObject({ message: expect.stringContaining(message) })
})

test('one large file under thousands of names is read once, and does not fit', async () => {
  const large = made('blob', Buffer.alloc(4 * 1024 * 1024))
  const names = Array.from({ length: 5000 }, (_, n) => ['100644', `${n}.txt`, large.id] as const)
  const root = aTree(names.toSorted(([, a], [, b]) => (a < b ? -1 : 1)))
  const full = aCommit(root.id)
  await using it = await hostileServer({ head: full.id, objects: [full, root, large] })
  const { gitdir } = await it.source.fetch(signal)
  const before = process.threadCpuUsage()
  const { files } = await readSnapshot(objectStore(gitdir), full.id, { folder: '' })
  const { user, system } = process.threadCpuUsage(before)
  const kinds = [...files.values()].map(({ kind }) => kind)
  expect([kinds.filter((kind) => kind === 'file').length, kinds.filter((kind) => kind === 'tooLarge').length]).toEqual([16, 4984])
  // Five thousand readings take half a minute.
  expect((user + system) / 1000).toBeLessThan(5000)
})

import { randomBytes } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { GitHttpRequest, HttpClient } from 'isomorphic-git'
import { expect, test } from 'vitest'
import { OVER_HTTP } from '../../src/gitsync/can-filter.ts'
import { createGitHttp } from '../../src/gitsync/git-http.ts'
import type { GitTransport } from '../../src/gitsync/git-transport.ts'
import { keepFolder } from '../../src/gitsync/kept-objects.ts'
import { objectStore } from '../../src/gitsync/object-store.ts'
import { PACK_LIMITS } from '../../src/gitsync/pack-limits.ts'
import { readSnapshot } from '../../src/gitsync/read-snapshot.ts'
import { createRemoteClone } from '../../src/gitsync/remote-clone.ts'
import { REMOTE_LIMITS } from '../../src/gitsync/remote-source.ts'
import { systemTimers } from '../../src/gitsync/timers.ts'
import { startFollow, startRemote } from './follow-fixture.ts'

const { signal } = new AbortController()
const MIB = 1024 * 1024

async function textsOf(gitdir: string, commit: string): Promise<Record<string, string>> {
  const { files } = await readSnapshot(objectStore(gitdir), commit, { folder: 'fleet' })
  return Object.fromEntries(
    [...files].map(([path, file]) => [path, file.kind === 'file' ? Buffer.from(file.bytes).toString() : file.kind]),
  )
}

test.for([true, false])('a fetch keeps the objects of the fleet folder alone (server filters: %s)', async (filters) => {
  await using remote = await startRemote({ filters })
  const commit = await remote.push('first', { 'fleet/a/pool.yaml': 'one', 'other/b.txt': 'b', 'c.txt': 'c' })
  const { gitdir } = await remote.source({ folder: 'fleet' }).fetch(signal)
  expect(await textsOf(gitdir, commit)).toEqual({ 'a/pool.yaml': 'one' })
  const kept = await remote.git('--git-dir', gitdir, 'cat-file', '--batch-check', '--batch-all-objects')
  // The commit, three folders (the root, fleet, fleet/a) and a file.
  expect(
    kept
      .split('\n')
      .map((line) => line.split(' ')[1])
      .toSorted(),
  ).toEqual(['blob', 'commit', 'tree', 'tree', 'tree'])
})

test('a fetch of more than a hundred objects leaves one pack, which Git finds sound', async () => {
  await using remote = await startRemote()
  await remote.push('first', Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`fleet/${n}.yaml`, `file ${n}`])))
  const { gitdir } = await remote.source({ folder: 'fleet' }).fetch(signal)
  const packs = await packsOf(gitdir)
  expect(packs).toHaveLength(1)
  await remote.git('--git-dir', gitdir, 'verify-pack', ...packs)
})

test.for([true, false])('a later fetch writes what is new and leaves what is on disk (server filters: %s)', async (filters) => {
  await using remote = await startRemote({ filters })
  const folders = Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`fleet/${n}/pool.yaml`, `pool ${n}`]))
  const source = remote.source({ folder: 'fleet' })
  await remote.push('first', folders)
  const { gitdir } = await source.fetch(signal)
  const first = await writtenIn(gitdir)
  await remote.push('second', { ...folders, 'fleet/0/pool.yaml': 'another' })
  await source.head(signal)
  await source.fetch(signal)
  const second = await writtenIn(gitdir)

  // The commit, the root, fleet, fleet/0 and a file.
  expect([...second.keys()].filter((path) => !first.has(path))).toHaveLength(5)
  expect([...first].filter(([path, written]) => second.get(path) !== written)).toEqual([])
})

/** When each loose object was written. */
async function writtenIn(gitdir: string): Promise<ReadonlyMap<string, bigint>> {
  const paths = (await readdir(join(gitdir, 'objects'), { recursive: true })).filter((path) => /^..\/.{38}$/.test(path))
  const times = paths.map(async (path) => [path, (await stat(join(gitdir, 'objects', path), { bigint: true })).mtimeNs] as const)
  return new Map(await Promise.all(times))
}

async function packsOf(gitdir: string): Promise<readonly string[]> {
  const folder = join(gitdir, 'objects', 'pack')
  return (await readdir(folder)).filter((name) => name.endsWith('.idx')).map((name) => join(folder, name))
}

test.for([true, false])('files and folders that move into the fleet folder are read (server filters: %s)', async (filters) => {
  await using remote = await startRemote({ filters })
  await remote.push('first', { 'fleet/pool.yaml': 'one', 'other/sub/b.yaml': 'b', 'c.yaml': 'c' })
  await using it = startFollow(remote.source({ folder: 'fleet' }), { folder: 'fleet' })
  await it.next()
  await remote.git('mv', 'other/sub', 'fleet/sub')
  await remote.git('mv', 'c.yaml', 'fleet/c.yaml')
  const moved = await remote.push('moved')
  it.pollNow()
  const event = await it.next()
  expect(event).toMatchObject({ type: 'snapshot', snapshot: { commit: moved } })
  const files = event?.type === 'snapshot' ? [...event.snapshot.files.keys()] : []
  expect(files.toSorted()).toEqual(['c.yaml', 'pool.yaml', 'sub/b.yaml'])
})

test('files that git sends as deltas are read as they are', async () => {
  await using remote = await startRemote({ filters: false })
  const lines = Array.from({ length: 400 }, (_, n) => `line ${n} ${randomBytes(20).toString('hex')}`)
  const files = Object.fromEntries(
    Array.from({ length: 30 }, (_, n) => [`fleet/${n}.yaml`, lines.with(n * 10, `changed ${n}`).join('\n')]),
  )
  const commit = await remote.push('alike', files)
  await remote.git('-C', join(remote.folder, 'root', 'fleet.git'), 'repack', '-adfq', '--depth=20')
  const { gitdir } = await remote.source({ folder: 'fleet' }).fetch(signal)
  expect(await textsOf(gitdir, commit)).toEqual(
    Object.fromEntries(Object.entries(files).map(([path, text]) => [path.slice('fleet/'.length), text])),
  )
})

test('what lies beside the fleet folder is not fetched, however large, when the server filters', async () => {
  await using remote = await startRemote()
  const commit = await remote.push('first', { 'fleet/pool.yaml': 'one', bomb: '\0'.repeat(3 * MIB) })
  const { gitdir } = await remote.source({ folder: 'fleet', maxObjectBytes: MIB, maxBytes: 5000 }).fetch(signal)
  expect(await textsOf(gitdir, commit)).toEqual({ 'pool.yaml': 'one' })
})

test('a server that filters but sends no files by their ids is asked for everything', async () => {
  await using remote = await startRemote()
  const commit = await remote.push('first', { 'fleet/pool.yaml': 'one' })
  const bodies: string[] = []
  const { url } = remote
  const http = createGitHttp(url, {
    ...REMOTE_LIMITS,
    timers: systemTimers,
    pack: { limits: PACK_LIMITS, onRefused: () => {} },
  })
  let refuses = true
  const refusing: GitTransport = (signal, operation, sink) =>
    http(signal, (client) => operation(refusesIds(client, bodies, () => refuses)), sink)
  const gitdir = join(remote.folder, 'clone')
  const clone = createRemoteClone({
    ...{ url, gitdir, http: refusing, limits: PACK_LIMITS },
    filter: 'blob:none',
    needs: OVER_HTTP,
    keep: keepFolder('fleet'),
  })
  await expect(clone.fetch({ id: commit, depth: 1 }, signal)).rejects.toMatchObject({
    name: 'MissingObject',
    message: '1 files are not in it',
  })
  await clone.fetch({ id: commit, depth: 1 }, signal)
  expect(await textsOf(gitdir, commit)).toEqual({ 'pool.yaml': 'one' })
  expect(bodies.map((body) => body.includes('filter blob:none'))).toEqual([true, false, false])
  // A push between the two requests has the same effect: it must not last.
  refuses = false
  await clone.clear()
  await clone.fetch({ id: commit, depth: 1 }, signal)
  expect(bodies.slice(3).map((body) => body.includes('filter blob:none'))).toEqual([true, false])
})

function refusesIds(client: HttpClient, bodies: string[], refuses: () => boolean): HttpClient {
  return {
    async request(asked: GitHttpRequest) {
      const chunks: Uint8Array[] = []
      for await (const chunk of asked.body ?? []) chunks.push(chunk)
      const text = Buffer.concat(chunks).toString('latin1')
      if (text.includes('want ')) bodies.push(text)
      if (!refuses() || !text.includes('want ') || text.includes('deepen'))
        return client.request({ ...asked, body: single(Buffer.concat(chunks)) })
      const body = single(Buffer.from('0029ERR upload-pack: not our ref 0000000'))
      return { url: asked.url, method: 'POST', headers: {}, statusCode: 200, statusMessage: 'OK', body }
    },
  }
}

async function* single(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body
}

test('a commit after the first leaves its few objects as files, and the server learns of the last commit alone', async () => {
  await using remote = await startRemote()
  await remote.push('first', { 'fleet/a/pool.yaml': 'one', 'fleet/b/pool.yaml': 'other' })
  const source = remote.source({ folder: 'fleet' })
  await source.fetch(signal)
  await remote.push('second', { 'fleet/a/pool.yaml': 'two' })
  await source.fetch(signal)
  const third = await remote.push('third', { 'fleet/a/pool.yaml': 'three' })
  const { gitdir, commit } = await source.fetch(signal)
  expect(commit).toBe(third)
  expect(await textsOf(gitdir, third)).toEqual({ 'a/pool.yaml': 'three', 'b/pool.yaml': 'other' })
  expect(await packsOf(gitdir)).toEqual([])
  expect(await readFile(join(gitdir, 'shallow'), 'utf8')).toBe(`${third}\n`)
})

test.for(['', 'fleet'])('a commit after the first brings its own files alone (folder "%s")', async (folder) => {
  await using remote = await startRemote()
  await remote.push('first', Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`fleet/${n}.yaml`, `file ${n}`])))
  const { url } = remote
  const limits = { ...PACK_LIMITS }
  const http = createGitHttp(url, { ...REMOTE_LIMITS, timers: systemTimers, pack: { limits, onRefused: () => {} } })
  const gitdir = join(remote.folder, 'clone')
  const clone = createRemoteClone({ url, gitdir, http, limits, filter: 'blob:none', needs: OVER_HTTP, keep: keepFolder(folder) })
  await clone.fetch({ id: await remote.git('rev-parse', 'HEAD'), depth: 1 }, signal)
  limits.maxObjects = 10
  const second = await remote.push('second', { 'fleet/7.yaml': 'changed' })
  await clone.fetch({ id: second, depth: 1 }, signal)
  expect(Object.keys(await textsOf(gitdir, second))).toHaveLength(50)
})

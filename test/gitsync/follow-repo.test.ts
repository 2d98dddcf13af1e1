import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLocalSource } from '../../src/gitsync/local-source.ts'
import { createRemoteSource } from '../../src/gitsync/remote-source.ts'
import { ManualTimers } from '../kube/manual-timers.ts'
import { brief, serverThat, silentServer, startFollow, startRemote } from './follow-fixture.ts'
import { gitFixture } from './git-fixture.ts'

test('followRepo gives each pushed commit when it polls, or at once when told to', async () => {
  await using remote = await startRemote()
  const first = await remote.push('first', { 'fleet/pool.yaml': 'one', 'README.md': 'no' })
  await using it = startFollow(remote.source(), { folder: 'fleet' })
  const event = await it.next()
  expect(brief(event)).toEqual(['snapshot', first])
  expect(event?.type === 'snapshot' && [...event.snapshot.files.keys()]).toEqual(['pool.yaml'])

  const second = await remote.push('second', { 'fleet/pool.yaml': 'two' })
  const polled = it.next()
  await it.timers.pass(60_000)
  expect(brief(await polled)).toEqual(['snapshot', second])

  const third = await remote.push('third')
  it.pollNow()
  expect(brief(await it.next())).toEqual(['snapshot', third])
})

test('followRepo reads no blob twice when commits have it in common', async () => {
  await using remote = await startRemote()
  await remote.push('first', { same: 'same', other: 'one' })
  await using it = startFollow(remote.source())
  const one = await it.next()
  await remote.push('second', { other: 'two' })
  it.pollNow()
  const two = await it.next()
  const [before, after] = [one, two].map((event) => event?.type === 'snapshot' && event.snapshot.files)
  expect(after && before && after.get('same') === before.get('same')).toBe(true)
  expect(after && before && after.get('other') === before.get('other')).toBe(false)
})

test('followRepo accepts a merge of a branch that is older than what it has fetched', async () => {
  await using remote = await startRemote()
  const old = await remote.commit('old', { side: '0' })
  await remote.pile(60)
  await remote.push('first')
  await using it = startFollow(remote.source())
  await it.next()
  await remote.git('checkout', '--quiet', '-b', 'side', old)
  await remote.commit('side', { side: '1' })
  await remote.git('checkout', '--quiet', 'main')
  await remote.git('merge', '--quiet', '--no-ff', '--message', 'merge', 'side')
  const merge = await remote.push('after the merge')
  it.pollNow()
  expect(brief(await it.next())).toEqual(['snapshot', merge])
})

test('followRepo refuses a rewritten branch once, and goes on when the branch is put back', async () => {
  await using remote = await startRemote()
  await remote.push('first')
  const second = await remote.push('second')
  await using it = startFollow(remote.source())
  expect(brief(await it.next())).toEqual(['snapshot', second])
  await remote.git('reset', '--quiet', '--hard', 'HEAD~1')
  const rewritten = await remote.push('rewritten')
  it.pollNow()
  const refused = await it.next()
  expect(brief(refused)).toEqual(['refused', rewritten, 'Rewritten'])
  expect(refused).toMatchObject({
    message: `refuse commit "${rewritten}": it does not descend from "${second}", which was accepted last`,
  })
  it.pollNow()
  await remote.git('reset', '--quiet', '--hard', second)
  const third = await remote.push('third')
  it.pollNow()
  expect(brief(await it.next())).toEqual(['snapshot', third])
})

test('followRepo accepts a rewritten branch as soon as it is allowed', async () => {
  await using remote = await startRemote()
  await remote.push('first')
  let allowed: string | undefined
  await using it = startFollow(remote.source(), { mayRewrite: (head) => head === allowed })
  await it.next()
  await remote.git('checkout', '--quiet', '--orphan', 'new')
  allowed = undefined
  const rewritten = await remote.push('rewritten')
  it.pollNow()
  expect(brief(await it.next())).toEqual(['refused', rewritten, 'Rewritten'])
  allowed = rewritten
  it.pollNow()
  expect(brief(await it.next())).toEqual(['snapshot', rewritten])
})

test.for([3, 120])('followRepo, starting again, finds the accepted commit %i commits back', async (distance) => {
  await using remote = await startRemote()
  const accepted = await remote.commit('accepted')
  await remote.pile(distance - 1)
  const head = await remote.push('head')
  await using it = startFollow(remote.source(), { lastAccepted: accepted })
  expect(brief(await it.next())).toEqual(['snapshot', head])
})

test('followRepo, starting again, refuses a branch that was rewritten meanwhile', async () => {
  await using remote = await startRemote()
  const head = await remote.push('head')
  await using it = startFollow(remote.source(), { lastAccepted: '1'.repeat(40) })
  expect(brief(await it.next())).toEqual(['refused', head, 'Rewritten'])
})

test('followRepo tells of trouble, waits longer each time, and of the recovery', async () => {
  await using remote = await startRemote()
  await using it = startFollow(remote.source())
  expect(brief(await it.next())).toEqual(['trouble', 'BranchNotFound', 1000])
  const again = it.next()
  await it.timers.pass(1000)
  expect(brief(await again)).toEqual(['trouble', 'BranchNotFound', 2000])
  const first = await remote.push('first')
  const recovered = it.next()
  await it.timers.pass(2000)
  expect(brief(await recovered)).toEqual('recovered')
  expect(brief(await it.next())).toEqual(['snapshot', first])
})

test('followRepo clones again when what it has on disk is spoilt', async () => {
  await using remote = await startRemote()
  await remote.push('first')
  await using it = startFollow(remote.source())
  await it.next()
  const clone = join(remote.folder, 'objects', 'clone')
  await rm(clone, { recursive: true })
  await writeFile(clone, 'no folder')
  const second = await remote.push('second')
  it.pollNow()
  expect(brief(await it.next())).toEqual(['snapshot', second])
})

test('followRepo ends when it is aborted, waiting or in the middle of a request', async () => {
  await using remote = await startRemote()
  await remote.push('first')
  await using it = startFollow(remote.source())
  await it.next()
  const waiting = it.next()
  it.stop.abort()
  expect(await waiting).toBeUndefined()

  const { url, asked } = await silentServer()
  await using other = startFollow(remote.source({ url }))
  const asking = other.next()
  await asked
  other.stop.abort()
  expect(await asking).toBeUndefined()
})

test('a remote is given up when it is silent for too long', async () => {
  await using fixture = await gitFixture()
  const { url, asked } = await silentServer()
  const timers = new ManualTimers()
  const source = createRemoteSource({ url, ref: { branch: 'main' }, directory: fixture.folder, timers, timeout: 1234 })
  const head = source.head(new AbortController().signal)
  await asked
  timers.advance(1234)
  await expect(head).rejects.toMatchObject({
    reason: 'Timeout',
    message: 'failed to reach the repository: no data for 1234 ms',
  })
})

test('a remote is given up when it sends more than is taken', async () => {
  await using remote = await startRemote()
  await remote.push('first', { noise: randomBytes(50_000).toString('base64') })
  const source = remote.source({ maxBytes: 2000 })
  await expect(source.fetch(new AbortController().signal)).rejects.toMatchObject({ reason: 'ResponseTooLarge' })
})

test.for([
  ['git@github.com:o/r.git', 'SSH needs a key and known hosts'],
  ['ssh://git:secret@host/o/r.git', 'only https://, http:// and ssh:// without a password are supported'],
  ['git://host/o/r.git', 'only https://, http:// and ssh:// without a password are supported'],
  ['https://bot:secret@host/o/r.git', "remove the credentials from the repository's address: pass them as files"],
])('a remote is refused when its address is %s', ([url, message]) => {
  expect(() => createRemoteSource({ url: url ?? '', ref: { branch: 'main' }, directory: '/tmp' })).toThrow(message)
})

test('a remote is read with the credentials that its files hold at the time', async () => {
  await using remote = await startRemote({ password: { username: 'bot', password: 'right' } })
  const head = await remote.push('first')
  const [usernameFile, passwordFile] = [join(remote.folder, 'username'), join(remote.folder, 'password')]
  const source = remote.source({ insecureHttp: true, credentials: { kind: 'basic', usernameFile, passwordFile } })
  const { signal } = new AbortController()
  await expect(source.head(signal)).rejects.toMatchObject({ reason: 'CredentialsUnreadable' })
  await writeFile(usernameFile, 'bot\n')
  await writeFile(passwordFile, 'wrong')
  await expect(source.head(signal)).rejects.toMatchObject({ reason: 'Unauthorized' })
  await writeFile(passwordFile, 'right\n')
  expect(await source.head(signal)).toBe(head)
  expect((await source.fetch(signal)).commit).toBe(head)
  await expect(
    remote
      .source({ url: `${remote.url}x`, insecureHttp: true, credentials: { kind: 'basic', usernameFile, passwordFile } })
      .head(signal),
  ).rejects.toMatchObject({ reason: 'RepositoryNotFound' })
})

test('a remote says where the repository has gone when it has moved', async () => {
  await using fixture = await gitFixture()
  const location = 'https://new/fleet.git/info/refs?service=git-upload-pack&token=secret'
  const url = await serverThat((_, response) => response.writeHead(301, { location }).end())
  const source = createRemoteSource({ url, ref: { branch: 'main' }, directory: fixture.folder })
  await expect(source.head(new AbortController().signal)).rejects.toMatchObject({
    reason: 'RepositoryMoved',
    message: `failed to read "${url}": it redirects to "https://new/fleet.git"; use that address, if it is the repository and not a login page`,
  })
})

test('a remote that has the branch under another name says which it has', async () => {
  await using remote = await startRemote()
  const { signal } = new AbortController()
  await expect(remote.source().head(signal)).rejects.toThrow(
    `failed to find branch "main" in "${remote.url}": it shows no branch: it is empty, or has SHA-256 ids, which are not read`,
  )
  await remote.commit('first')
  for (const branch of ['master', 'b', 'c', 'd', 'e', 'f', 'g']) await remote.git('push', '--quiet', 'origin', `HEAD:${branch}`)
  await expect(remote.source().head(signal)).rejects.toThrow(
    `failed to find branch "main" in "${remote.url}": it has "b", "c", "d", "e", "f" and 2 more; name one with --branch`,
  )
})

test('a remote clones again when too many packs have piled up', async () => {
  await using remote = await startRemote()
  await remote.push('first')
  const source = remote.source()
  const { signal } = new AbortController()
  const { gitdir, commit } = await source.fetch(signal)
  for (let n = 0; n < 101; n++) await writeFile(join(gitdir, 'objects', 'pack', `pack-${n}.pack`), '')
  await source.tidy(signal)
  expect((await source.fetch(signal)).commit).toBe(commit)
  await source.tidy(signal)
  await expect(rm(join(gitdir, 'objects', 'pack', 'pack-0.pack'))).rejects.toThrow('ENOENT')
})

test('followRepo gives a commit to a local repository at once, without a poll', async () => {
  await using fixture = await gitFixture()
  const first = await fixture.commit('first', { a: '1' })
  await using it = startFollow(createLocalSource({ path: fixture.work }))
  expect(brief(await it.next())).toEqual(['snapshot', first])
  const second = await fixture.commit('second')
  expect(brief(await it.next())).toEqual(['snapshot', second])
  await fixture.git('checkout', '--quiet', '-b', 'team/side')
  const third = await fixture.commit('third')
  expect(brief(await it.next())).toEqual(['snapshot', third])
  await fixture.git('reset', '--quiet', '--hard', first)
  const event = await it.next()
  expect(brief(event)).toEqual(['refused', first, 'Rewritten'])
})

test('followRepo follows only its branch of a bare repository, packed or not', async () => {
  await using fixture = await gitFixture()
  const first = await fixture.commit('first')
  const bare = join(fixture.folder, 'bare.git')
  await fixture.git('clone', '--quiet', '--bare', '.', bare)
  await fixture.git('-C', bare, 'pack-refs', '--all')
  await using it = startFollow(createLocalSource({ path: bare, ref: { branch: 'main' } }))
  expect(brief(await it.next())).toEqual(['snapshot', first])
  await fixture.commit('on a side')
  await fixture.git('push', '--quiet', bare, 'HEAD:side')
  const second = await fixture.commit('second')
  await fixture.git('push', '--quiet', bare, 'HEAD:main')
  expect(brief(await it.next())).toEqual(['snapshot', second])
})

test('a local repository is in trouble when its branch or the repository is not there', async () => {
  await using fixture = await gitFixture()
  const { signal } = new AbortController()
  await expect(createLocalSource({ path: fixture.work }).head(signal)).rejects.toMatchObject({ reason: 'BranchNotFound' })
  await expect(createLocalSource({ path: '/does/not/exist' }).head(signal)).rejects.toMatchObject({ reason: 'NotARepository' })
})

test('followRepo takes a force-push over a head that was read and not accepted, as one that is invalid', async () => {
  await using remote = await startRemote()
  const accepted = await remote.push('first')
  await using it = startFollow(remote.source(), { acceptedNow: () => accepted })
  expect(brief(await it.next())).toEqual(['snapshot', accepted])
  const invalid = await remote.push('invalid')
  it.pollNow()
  expect(brief(await it.next())).toEqual(['snapshot', invalid])
  await remote.git('reset', '--quiet', '--hard', accepted)
  const amended = await remote.push('amended')
  it.pollNow()
  expect(brief(await it.next())).toEqual(['snapshot', amended])
})

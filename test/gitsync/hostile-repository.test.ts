import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createRemoteSource } from '../../src/gitsync/remote-source.ts'
import { ManualTimers } from '../kube/manual-timers.ts'
import { brief, serverThat, startFollow, startRemote } from './follow-fixture.ts'
import { gitFixture } from './git-fixture.ts'

const { signal } = new AbortController()
const MIB = 1024 * 1024
/** A few KB on their way, and much once unpacked. */
const BOMB = '\0'.repeat(3 * MIB)

test.for([true, false])(
  'a commit with a bomb is refused by name, and the next good commit is taken (server filters: %s)',
  async (filters) => {
    await using remote = await startRemote({ filters })
    await remote.push('good', { 'pool.yaml': 'one' })
    await using it = startFollow(remote.source({ maxObjectBytes: MIB }))
    await it.next()
    await remote.push('bomb', { bomb: BOMB })
    it.pollNow()
    const trouble = await it.next()
    expect(trouble).toMatchObject({ type: 'trouble', error: { reason: 'PackTooLarge' } })
    expect(trouble?.type === 'trouble' && trouble.error.message).toBe(
      'refuse the pack that the repository sends: an object of it unpacks to 3145728 bytes, more than 1048576; ' +
        'remove what is large from the branch; or see --git-max-object and --git-max-unpacked',
    )

    await remote.git('rm', '--quiet', 'bomb')
    const good = await remote.push('good again', { 'pool.yaml': 'two' })
    it.pollNow()
    expect(brief(await it.next())).toBe('recovered')
    expect(brief(await it.next())).toEqual(['snapshot', good])
  },
)

test('a bomb that nobody looked at before it was removed keeps no later commit away when the server filters', async () => {
  await using remote = await startRemote({ filters: true })
  await remote.push('good')
  await using it = startFollow(remote.source({ maxObjectBytes: MIB }))
  await it.next()
  await remote.commit('bomb', { bomb: BOMB })
  await remote.git('rm', '--quiet', 'bomb')
  const good = await remote.push('good again')
  it.pollNow()
  expect(brief(await it.next())).toEqual(['snapshot', good])
})

test('history that is too large to look at is no trouble: the commit is refused once, and taken when that is allowed', async () => {
  await using remote = await startRemote({ filters: false })
  await remote.push('good')
  let allowed: string | undefined
  await using it = startFollow(remote.source({ maxObjectBytes: MIB }), { mayRewrite: (head) => head === allowed })
  await it.next()
  await remote.commit('bomb', { bomb: BOMB })
  await remote.git('rm', '--quiet', 'bomb')
  const good = await remote.push('good again')
  it.pollNow()
  expect(brief(await it.next())).toEqual(['refused', good, 'AncestryUnknown'])
  allowed = good
  it.pollNow()
  expect(brief(await it.next())).toEqual(['snapshot', good])
})

test('a pack whose objects are too many, or too large together, is refused', async () => {
  await using remote = await startRemote({ filters: false })
  await remote.push('first', { a: randomBytes(1000).toString('hex'), b: randomBytes(1000).toString('hex') })
  await expect(remote.source({ maxObjects: 3 }).fetch(signal)).rejects.toThrow('it has 4 objects, more than 3')
  await expect(remote.source({ maxUnpackedBytes: 3000 }).fetch(signal)).rejects.toThrow('unpack to more than 3000 bytes')
  await expect(remote.source({ maxObjects: 4 }).fetch(signal)).resolves.toMatchObject({ commit: expect.any(String) })
})

test('a fetch brings one commit, and a gap of thousands of commits is bridged by all of the history in the end', async () => {
  await using remote = await startRemote()
  const accepted = await remote.commit('accepted')
  await remote.pile(5550)
  const head = await remote.push('head')
  const source = remote.source()
  const { gitdir } = await source.fetch(signal)
  expect(await remote.git('--git-dir', gitdir, 'rev-list', '--count', 'HEAD')).toBe('1')

  await using it = startFollow(source, { lastAccepted: accepted })
  expect(brief(await it.next())).toEqual(['snapshot', head])
})

test('a revert to content that the history holds is taken after the history was looked at', async () => {
  await using remote = await startRemote()
  const first = await remote.push('first', { 'pool.yaml': 'one', 'other.yaml': 'one' })
  await remote.commit('second', { 'pool.yaml': 'two' })
  await remote.push('third', { 'pool.yaml': 'three' })
  await using it = startFollow(remote.source(), { lastAccepted: first })
  await it.next()
  const back = await remote.push('as at first', { 'pool.yaml': 'one' })
  it.pollNow()
  expect(brief(await it.next())).toEqual(['snapshot', back])
})

test('a branch is followed though a tag has the same name', async () => {
  await using remote = await startRemote()
  const old = await remote.push('old')
  await remote.git('tag', 'main', old)
  await remote.git('push', '--quiet', 'origin', 'refs/tags/main')
  await remote.commit('first')
  await remote.git('push', '--quiet', 'origin', 'HEAD:refs/heads/main')
  const first = await remote.git('rev-parse', 'HEAD')
  await using it = startFollow(remote.source())
  expect(brief(await it.next())).toEqual(['snapshot', first])
  await remote.commit('second')
  await remote.git('push', '--quiet', 'origin', 'HEAD:refs/heads/main')
  it.pollNow()
  expect(brief(await it.next())).toEqual(['snapshot', await remote.git('rev-parse', 'HEAD')])
})

test('a server that goes on sending, byte by byte, is given up at the deadline', async () => {
  await using fixture = await gitFixture()
  const timers = new ManualTimers()
  const sent = Promise.withResolvers<void>()
  const url = await serverThat((_, response) => {
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' })
    response.write('0', () => sent.resolve())
  })
  const source = createRemoteSource({
    url,
    ref: { branch: 'main' },
    directory: fixture.folder,
    timers,
    timeout: 10_000,
    deadline: 5000,
  })
  const head = source.head(signal)
  await sent.promise
  timers.advance(5000)
  await expect(head).rejects.toMatchObject({
    reason: 'Timeout',
    message: 'failed to reach the repository: it took longer than 5000 ms; see --git-timeout',
  })
})

test('a server that is asked too often is left alone for as long as it says', async () => {
  await using fixture = await gitFixture()
  const url = await serverThat((_, response) => response.writeHead(429, { 'retry-after': '120' }).end('slow down'))
  await using it = startFollow(createRemoteSource({ url, ref: { branch: 'main' }, directory: fixture.folder }))
  const trouble = await it.next()
  expect(brief(trouble)).toEqual(['trouble', 'RateLimited', 120_000])
  expect(trouble?.type === 'trouble' && trouble.error.message).toBe(
    'failed to reach the repository: the server answers 429, and wants to be left alone for 120 s',
  )
})

test('credentials are not sent over plain http unless that is allowed', () => {
  const credentials = { kind: 'bearer', tokenFile: '/run/token' } as const
  const options = { url: 'http://git.example.com/fleet.git', ref: { branch: 'main' }, directory: '/tmp', credentials }
  expect(() => createRemoteSource(options)).toThrow(
    'refuse to send credentials to "http://git.example.com/fleet.git": http:// does not protect them; ' +
      'use https://, or --insecure-http',
  )
  expect(() => createRemoteSource({ ...options, insecureHttp: true })).not.toThrow()
  expect(() => createRemoteSource({ ...options, url: 'https://git.example.com/fleet.git' })).not.toThrow()
})

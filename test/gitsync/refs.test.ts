import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { followedIn } from '../../src/gitsync/git-ref.ts'
import { createLocalSource } from '../../src/gitsync/local-source.ts'
import { createRemoteSource } from '../../src/gitsync/remote-source.ts'
import { readTrustedKeys } from '../../src/gitsync/signatures/trusted-keys.ts'
import { brief, serverThat, startFollow, startRemote } from './follow-fixture.ts'
import type { GitFixture } from './git-fixture.ts'
import { line } from './hostile-server-fixture.ts'
import { sshRemote } from './ssh-fixture.ts'

test.for([
  ['~1.4', 'v1.4.10'],
  ['1.x', 'v1.5.0'],
  ['>=1.4.0 <1.4.10', 'v1.4.9'],
  ['>=2.0.0-0', '2.0.0-rc.1'],
  ['>=2', undefined],
  ['3', undefined],
] as const)('the tag with the highest version in %s is followed', ([semver, expected]) => {
  const tags = ['v1.4.9', 'v1.4.10', 'v1.5.0', '2.0.0-rc.1', 'release-9', 'v1', '=v1.9.0', ' v1.9.0', 'v1.4.11.1']
  const names = ['refs/heads/v1.4.99', ...tags.map((tag) => `refs/tags/${tag}`)]
  expect(followedIn(names, { semver })).toBe(expected && `refs/tags/${expected}`)
})

async function tag(remote: GitFixture, name: string, ...more: readonly string[]) {
  await remote.git('tag', '--force', ...more, name)
  await remote.git('push', '--quiet', '--force', 'origin', `refs/tags/${name}`)
}

const ANNOTATED = ['--annotate', '--message', 'a release']

test.for([[], ANNOTATED])('followRepo follows a tag where it goes, made with %j', async (how) => {
  await using remote = await startRemote()
  const first = await remote.push('first', { 'fleet/pool.yaml': 'one' })
  await tag(remote, 'live', ...how)
  await using it = startFollow(remote.source({ ref: { tag: 'live' } }), { folder: 'fleet' })
  const event = await it.next()
  expect(brief(event)).toEqual(['snapshot', first])
  expect(event?.type === 'snapshot' && [...event.snapshot.files.keys()]).toEqual(['pool.yaml'])
  await remote.push('not yet')
  const third = await remote.push('third')
  await tag(remote, 'live', ...how)
  it.pollNow()
  expect(brief(await it.next())).toEqual(['snapshot', third])
})

test('followRepo goes to the tag with the highest version in a range, and to no other', async () => {
  await using remote = await startRemote()
  const first = await remote.push('first')
  await tag(remote, 'v1.4.0')
  await using it = startFollow(remote.source({ ref: { semver: '~1.4' } }))
  expect(brief(await it.next())).toEqual(['snapshot', first])
  await remote.push('second')
  await tag(remote, 'v1.5.0')
  const third = await remote.push('third')
  await tag(remote, 'v1.4.1', ...ANNOTATED)
  it.pollNow()
  expect(brief(await it.next())).toEqual(['snapshot', third])
})

test('followRepo refuses a tag that goes back, as a branch that was rewritten', async () => {
  await using remote = await startRemote()
  const first = await remote.push('first')
  const second = await remote.push('second')
  await tag(remote, 'live')
  await using it = startFollow(remote.source({ ref: { tag: 'live' } }))
  expect(brief(await it.next())).toEqual(['snapshot', second])
  await remote.git('checkout', '--quiet', first)
  await tag(remote, 'live')
  it.pollNow()
  expect(brief(await it.next())).toEqual(['refused', first, 'Rewritten'])
})

test('followRepo stays at a commit, whatever is pushed', async () => {
  await using remote = await startRemote()
  const first = await remote.push('first', { 'pool.yaml': 'one' })
  await remote.push('second')
  const source = remote.source({ ref: { commit: first } })
  await using it = startFollow(source)
  expect(brief(await it.next())).toEqual(['snapshot', first])
  expect(await source.head(new AbortController().signal)).toBe(first)
})

test.for([{ tag: 'v1.0.0' }, { semver: '~1.4' }, { commit: '' }])('followRepo follows %j over SSH, too', async (ref) => {
  await using remote = await sshRemote()
  const first = await remote.push('first', { 'pool.yaml': 'one' })
  for (const name of ['v1.0.0', 'v1.4.2']) await tag(remote, name, ...ANNOTATED)
  await using it = startFollow(remote.source({ ref: 'commit' in ref ? { commit: first } : ref }))
  expect(brief(await it.next())).toEqual(['snapshot', first])
})

test('a tag that is not there is reported with those that are', async () => {
  await using remote = await startRemote()
  await remote.push('first')
  for (const name of ['v1.0.0', 'v1.1.0']) await tag(remote, name)
  const { signal } = new AbortController()
  await expect(remote.source({ ref: { semver: '2.x' } }).head(signal)).rejects.toMatchObject({
    reason: 'TagNotFound',
    message: `failed to find a tag with a version in "2.x" in "${remote.url}": it has "v1.0.0", "v1.1.0"; name one with --tag or --semver`,
  })
  await expect(remote.source({ ref: { tag: 'live' } }).head(signal)).rejects.toMatchObject({ reason: 'TagNotFound' })
})

test.for([{ tag: 'v1.4.1' }, { semver: '~1.4' }, { branch: 'main' }])(
  'a repository on this machine is followed by %j',
  async (ref) => {
    await using remote = await startRemote()
    await remote.push('first')
    await tag(remote, 'v1.4.0')
    const second = await remote.push('second')
    await tag(remote, 'v1.4.1', ...ANNOTATED)
    await using it = startFollow(createLocalSource({ path: remote.work, ref }))
    expect(brief(await it.next())).toEqual(['snapshot', second])
  },
)

/** Tags signed with a key that is trusted. */
async function signing(remote: GitFixture) {
  const file = join(remote.folder, 'ada')
  await promisify(execFile)('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', file])
  const keyFile = join(remote.folder, 'trusted')
  await writeFile(keyFile, `ada@example.invalid ${await readFile(`${file}.pub`, 'utf8')}`)
  await remote.git('config', 'gpg.format', 'ssh')
  await remote.git('config', 'user.signingkey', file)
  return { mode: 'Head' as const, keys: () => readTrustedKeys(keyFile), now: () => Date.parse('2026-10-01T00:00:00Z') }
}

test('a signed tag stands for the signature of its commit, and an unsigned one does not', async () => {
  await using remote = await startRemote()
  const signatures = await signing(remote)
  const first = await remote.push('first')
  await tag(remote, 'v1.0.0', ...ANNOTATED)
  await using it = startFollow(remote.source({ ref: { semver: '1' } }), { signatures })
  expect(await it.next()).toMatchObject({
    reason: 'UntrustedCommit',
    message: expect.stringContaining('it is not signed, and of tag "v1.0.0": it is not signed'),
  })
  await tag(remote, 'v1.0.0', '--sign', '--message', 'a release')
  it.pollNow()
  expect(brief(await it.next())).toEqual(['snapshot', first])
})

test('a signed tag under the name of another one is refused: an old release cannot be served as a new one', async () => {
  await using remote = await startRemote()
  const signatures = await signing(remote)
  const first = await remote.push('first')
  await tag(remote, 'v1.0.0', '--sign', '--message', 'a release')
  await remote.git('push', '--quiet', 'origin', 'refs/tags/v1.0.0:refs/tags/v1.9.0')
  await using it = startFollow(remote.source({ ref: { semver: '1' } }), { signatures })
  const event = await it.next()
  expect(brief(event)).toEqual(['refused', first, 'UntrustedCommit'])
  expect(event).toMatchObject({ message: expect.stringContaining('of tag "v1.9.0": it was made as tag "v1.0.0"') })
})

test('a branch whose first push comes between the look for it and the look for others is followed', async () => {
  const id = 'a'.repeat(40)
  const branches = ['refs/heads/other', 'refs/heads/main']
  const url = await serverThat((_, response) => {
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' })
    const ref = `${id} ${branches.shift()}\0shallow side-band-64k\n`
    response.end(`${line('# service=git-upload-pack\n')}0000${line(ref)}0000`)
  })
  const source = createRemoteSource({ url, ref: { branch: 'main' }, directory: '/nonexistent' })
  expect(await source.head(new AbortController().signal)).toBe(id)
})

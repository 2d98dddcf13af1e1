import { copyFile, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { loadSsh } from '../../src/gitsync/load-ssh.ts'
import { brief, startFollow } from './follow-fixture.ts'
import { makeKey, sshRemote } from './ssh-fixture.ts'

const signal = new AbortController().signal

test.for([
  { versions: true, filters: true },
  { versions: false, filters: true },
  { versions: true, filters: false },
  { hostKeyType: 'rsa' },
  { hostKeyType: 'ecdsa' },
])('followRepo gives each pushed commit over SSH, server %j', async (options) => {
  await using remote = await sshRemote(options)
  const first = await remote.push('first', { 'fleet/pool.yaml': 'one', 'README.md': 'no' })
  await using it = startFollow(remote.source(), { folder: 'fleet' })
  const event = await it.next()
  expect(brief(event)).toEqual(['snapshot', first])
  expect(event?.type === 'snapshot' && [...event.snapshot.files.keys()]).toEqual(['pool.yaml'])
  await remote.pile(5)
  const later = await remote.push('later', { 'fleet/pool.yaml': 'two' })
  it.pollNow()
  expect(brief(await it.next())).toEqual(['snapshot', later])
  expect(new Set(remote.commands)).toEqual(new Set([`git-upload-pack '${remote.file('fleet.git')}'`]))
})

test('followRepo finds over SSH that a branch was rewritten', async () => {
  await using remote = await sshRemote()
  await remote.push('first')
  const second = await remote.push('second')
  await using it = startFollow(remote.source())
  expect(brief(await it.next())).toEqual(['snapshot', second])
  await remote.git('reset', '--quiet', '--hard', 'HEAD~1')
  const rewritten = await remote.push('rewritten')
  it.pollNow()
  expect(brief(await it.next())).toEqual(['refused', rewritten, 'Rewritten'])
})

test('a host that is not among the known ones is not talked to', async () => {
  await using remote = await sshRemote()
  await remote.push('first')
  await writeFile(remote.file('known_hosts'), `example.com ${remote.hostKey}`)
  await expect(remote.source().head(signal)).rejects.toMatchObject({
    reason: 'HostKeyUnknown',
    message: expect.stringContaining(`add the line of "ssh-keyscan -p ${remote.port} 127.0.0.1"`),
  })
  expect(remote.commands).toEqual([])
})

test('a host with another key than the known one gets no login', async () => {
  await using remote = await sshRemote()
  await remote.push('first')
  await makeKey(remote.file('other'), 'ed25519')
  const { readFile } = await import('node:fs/promises')
  await writeFile(remote.file('known_hosts'), `[127.0.0.1]:${remote.port} ${await readFile(remote.file('other.pub'), 'utf8')}`)
  await expect(remote.source().head(signal)).rejects.toMatchObject({ reason: 'HostKeyChanged' })
  expect(remote.commands).toEqual([])
})

test('a deploy key that the server does not know is refused with a remedy', async () => {
  await using remote = await sshRemote()
  await makeKey(remote.file('stranger'), 'ed25519')
  const ssh = { keyFile: remote.file('stranger'), knownHostsFile: remote.file('known_hosts') }
  await expect(remote.source({ ssh }).head(signal)).rejects.toMatchObject({
    reason: 'Unauthorized',
    message: expect.stringContaining('add its public key there as a deploy key'),
  })
})

test('a deploy key is rotated by replacing its file', async () => {
  await using remote = await sshRemote()
  const first = await remote.push('first')
  const source = remote.source()
  expect(await source.head(signal)).toBe(first)
  await makeKey(remote.file('next'), 'ecdsa')
  await copyFile(remote.file('next.pub'), remote.file('deploy.pub'))
  await expect(source.head(signal)).rejects.toMatchObject({ reason: 'Unauthorized' })
  await copyFile(remote.file('next'), remote.file('deploy'))
  expect(await source.head(signal)).toBe(first)
})

test.for([
  ['encrypted', ['-N', 'secret'], 'it is encrypted'],
  ['PKCS#8', ['-m', 'PKCS8'], 'it is in the format PKCS#8'],
] as const)('a deploy key that is %s is refused with a remedy', async ([, more, why]) => {
  await using remote = await sshRemote()
  await makeKey(remote.file('odd'), 'ecdsa', ...more)
  const ssh = { keyFile: remote.file('odd'), knownHostsFile: remote.file('known_hosts') }
  await expect(remote.source({ ssh }).head(signal)).rejects.toMatchObject({
    reason: 'CredentialsUnreadable',
    message: expect.stringContaining(why),
  })
})

test('a public key, no key and a missing file are no deploy keys', async () => {
  await using remote = await sshRemote()
  await writeFile(remote.file('text'), 'hello')
  for (const name of ['deploy.pub', 'text', 'nowhere']) {
    const ssh = { keyFile: remote.file(name), knownHostsFile: remote.file('known_hosts') }
    await expect(remote.source({ ssh }).head(signal)).rejects.toMatchObject({ reason: 'CredentialsUnreadable' })
  }
})

test('a repository that is not there is reported in the words of the server', async () => {
  await using remote = await sshRemote()
  const url = `ssh://git@127.0.0.1:${remote.port}/nowhere; touch pwned's.git`
  await expect(remote.source({ url }).head(signal)).rejects.toMatchObject({
    reason: 'Unreadable',
    message: expect.stringContaining("'/nowhere; touch pwned's.git' does not appear to be a git repository"),
  })
})

test('a server that sends more than is taken, or no Git, is given up', async () => {
  await using large = await sshRemote({ serve: (channel) => void channel.write('0'.repeat(100_000)) })
  await expect(large.source({ maxBytes: 1000 }).head(signal)).rejects.toMatchObject({ name: 'GitSyncError' })
  await using other = await sshRemote({ serve: (channel) => void channel.end('Welcome to the shop\n') })
  await expect(other.source().head(signal)).rejects.toMatchObject({ reason: 'Unreadable' })
})

test('a server that falls silent is given up in time, and following it ends at once when it is aborted', async () => {
  await using remote = await sshRemote({ serve: () => {} })
  await expect(remote.source({ timeout: 300 }).head(signal)).rejects.toMatchObject({ reason: 'Timeout' })
  const stop = new AbortController()
  const asked = remote.source().head(stop.signal)
  stop.abort(new Error('enough'))
  await expect(asked).rejects.toThrow('enough')
})

test('a pack over a limit is refused over SSH, too', async () => {
  await using remote = await sshRemote()
  await remote.push('first', { large: 'x'.repeat(100_000) })
  await expect(remote.source({ maxObjectBytes: 10_000 }).fetch(signal)).rejects.toMatchObject({ reason: 'PackTooLarge' })
})

test('without the package ssh2 the error says how to add it', async () => {
  const missing = () => Promise.reject(new Error("Cannot find package 'ssh2'"))
  await expect(loadSsh(missing)).rejects.toMatchObject({
    reason: 'PackageMissing',
    message: expect.stringContaining('npm install --ignore-scripts ssh2@1.17'),
  })
})

import { execFile } from 'node:child_process'
import fs from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { writeObject } from 'isomorphic-git'
import { expect, test } from 'vitest'
import { signaturesOf } from '../../src/cli/controller/commit-signature-options.ts'
import { FetchedHistory } from '../../src/gitsync/fetched-history.ts'
import { createLocalSource } from '../../src/gitsync/local-source.ts'
import { readTrustedKeys } from '../../src/gitsync/signatures/trusted-keys.ts'
import { type SignatureMode, unverified } from '../../src/gitsync/signatures/verify-head.ts'
import { brief, startFollow, startRemote } from './follow-fixture.ts'
import type { GitFixture } from './git-fixture.ts'

const run = promisify(execFile)
const NOW = Date.parse('2026-10-01T00:00:00Z')

type Remote = Awaited<ReturnType<typeof startRemote>>

/** A remote, keys for two people, and a file of trusted keys with the first. */
async function signing(remote: GitFixture) {
  const keyFile = join(remote.folder, 'trusted')
  const signers: string[] = []
  for (const name of ['ada', 'eve']) {
    const file = join(remote.folder, name)
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', file])
    signers.push(`${name}@example.invalid ${await readFile(`${file}.pub`, 'utf8')}`)
  }
  const trust = (...names: readonly ('ada' | 'eve')[]) =>
    writeFile(keyFile, signers.filter((line) => names.some((name) => line.startsWith(name))).join(''))
  await trust('ada')
  await remote.git('config', 'gpg.format', 'ssh')
  const signAs = async (name: 'ada' | 'eve' | undefined) => {
    await remote.git('config', 'commit.gpgsign', String(name !== undefined))
    if (name) await remote.git('config', 'user.signingkey', join(remote.folder, name))
  }
  const policy = (mode: SignatureMode) => ({ mode, keys: () => readTrustedKeys(keyFile), now: () => NOW })
  return { trust, signAs, policy, keyFile }
}

async function started(remote: Remote, mode: SignatureMode) {
  const keys = await signing(remote)
  await keys.signAs('ada')
  const first = await remote.push('first')
  const it = startFollow(remote.source(), { signatures: keys.policy(mode) })
  expect(brief(await it.next())).toEqual(['snapshot', first])
  const push = async (by: 'ada' | 'eve' | undefined, message: string) => {
    await keys.signAs(by)
    return remote.push(message)
  }
  const told = () => {
    it.pollNow()
    return it.next()
  }
  return { ...keys, it, push, told, first, [Symbol.asyncDispose]: () => it[Symbol.asyncDispose]() }
}

test('followRepo refuses an unsigned head with a reason and a remedy, and goes on with the next signed one', async () => {
  await using remote = await startRemote()
  await using fleet = await started(remote, 'Head')
  const unsigned = await fleet.push(undefined, 'unsigned')
  const event = await fleet.told()
  expect(event).toEqual({
    type: 'refused',
    commit: unsigned,
    reason: 'UntrustedCommit',
    message: `refuse commit "${unsigned}": it is not signed; sign it (git commit -S) with a key that --commit-keys holds, or add the key there`,
  })
  const signed = await fleet.push('ada', 'signed')
  expect(brief(await fleet.told())).toEqual(['snapshot', signed])
})

test('followRepo refuses the first head, too, when its signature is by somebody else', async () => {
  await using remote = await startRemote()
  const { signAs, policy } = await signing(remote)
  await signAs('eve')
  const first = await remote.push('first')
  await using it = startFollow(remote.source(), { signatures: policy('Head') })
  expect(brief(await it.next())).toEqual(['refused', first, 'UntrustedCommit'])
})

test('followRepo accepts a refused head when its key is added to the file, and refuses the next when it is removed', async () => {
  await using remote = await startRemote()
  await using fleet = await started(remote, 'Head')
  const byEve = await fleet.push('eve', 'by eve')
  expect(brief(await fleet.told())).toEqual(['refused', byEve, 'UntrustedCommit'])
  await fleet.trust('ada', 'eve')
  expect(brief(await fleet.told())).toEqual(['snapshot', byEve])
  await fleet.trust('ada')
  const again = await fleet.push('eve', 'again by eve')
  expect(brief(await fleet.told())).toEqual(['refused', again, 'UntrustedCommit'])
})

test('followRepo, in mode All, refuses an unsigned commit between signed ones and names it', async () => {
  await using remote = await startRemote()
  await using fleet = await started(remote, 'All')
  const unsigned = await fleet.push(undefined, 'unsigned')
  const head = await fleet.push('ada', 'signed')
  const event = await fleet.told()
  expect(brief(event)).toEqual(['refused', head, 'UntrustedCommit'])
  expect(event).toMatchObject({ message: expect.stringContaining(`it comes with commit "${unsigned}": it is not signed`) })
})

test('followRepo, in mode Head, takes what a signed head vouches for', async () => {
  await using remote = await startRemote()
  await using fleet = await started(remote, 'Head')
  await fleet.push(undefined, 'unsigned')
  const head = await fleet.push('ada', 'signed')
  expect(brief(await fleet.told())).toEqual(['snapshot', head])
})

test.for([
  ['ada', 'snapshot'],
  [undefined, 'refused'],
] as const)('followRepo, in mode All, checks the commits of a merged branch: by %s, %s', async ([by, kind]) => {
  await using remote = await startRemote()
  const { signAs, policy } = await signing(remote)
  // Unsigned history before the last accepted commit is nobody's concern.
  const old = await remote.commit('old')
  await remote.pile(60)
  await signAs('ada')
  const accepted = await remote.push('accepted')
  await using it = startFollow(remote.source(), { lastAccepted: accepted, signatures: policy('All') })
  expect(brief(await it.next())).toEqual(['snapshot', accepted])
  await remote.git('checkout', '--quiet', '-b', 'side', old)
  await signAs(by)
  await remote.commit('side', { side: '1' })
  await signAs('ada')
  await remote.git('checkout', '--quiet', 'main')
  await remote.git('merge', '--quiet', '--no-ff', '-S', '--message', 'merge', 'side')
  const merge = await remote.push('after the merge')
  it.pollNow()
  expect((await it.next())?.type).toBe(kind)
  expect(await remote.git('rev-parse', 'HEAD')).toBe(merge)
})

test('followRepo does not ask for a signature of what was accepted before', async () => {
  await using remote = await startRemote()
  const { policy } = await signing(remote)
  const head = await remote.push('unsigned')
  await using it = startFollow(remote.source(), { lastAccepted: head, signatures: policy('All') })
  expect(brief(await it.next())).toEqual(['snapshot', head])
})

test('followRepo reports trouble when the file of trusted keys is gone, and takes nothing meanwhile', async () => {
  await using remote = await startRemote()
  await using fleet = await started(remote, 'Head')
  await fleet.push('ada', 'signed')
  await writeFile(fleet.keyFile, '')
  expect(brief(await fleet.told())).toEqual(['trouble', 'KeysUnreadable', 1000])
})

test('followRepo reports at once that the file of trusted keys is gone, also without a new commit', async () => {
  await using remote = await startRemote()
  await using fleet = await started(remote, 'Head')
  await writeFile(fleet.keyFile, '')
  fleet.it.pollNow()
  expect(brief(await fleet.it.next())).toEqual(['trouble', 'KeysUnreadable', 1000])
})

test('followRepo, in mode All, refuses a force-push to a commit from before the signatures, though rewrites are allowed', async () => {
  await using remote = await startRemote()
  const { signAs, policy } = await signing(remote)
  const unsigned = await remote.push('before the signatures')
  await signAs('ada')
  const accepted = await remote.push('signed')
  const options = { lastAccepted: accepted, signatures: policy('All'), mayRewrite: () => true }
  await using it = startFollow(remote.source(), options)
  expect(brief(await it.next())).toEqual(['snapshot', accepted])
  await remote.git('push', '--quiet', '--force', 'origin', `${unsigned}:main`)
  it.pollNow()
  expect(brief(await it.next())).toEqual(['refused', unsigned, 'UntrustedCommit'])
})

test('followRepo accepts a refused head when the time comes from which its key is valid', async () => {
  await using remote = await startRemote()
  const { signAs, keyFile } = await signing(remote)
  const line = await readFile(keyFile, 'utf8')
  await writeFile(keyFile, line.replace(' ', ' valid-after="20231114Z" '))
  // The clock of the controller's machine is wrong, as after its battery died.
  let now = Date.parse('2015-01-01T00:00:00Z')
  const signatures = { mode: 'Head' as const, keys: () => readTrustedKeys(keyFile), now: () => now }
  await signAs('ada')
  const head = await remote.push('signed')
  await using it = startFollow(remote.source(), { signatures })
  expect(brief(await it.next())).toEqual(['refused', head, 'UntrustedCommit'])
  now = NOW
  it.pollNow()
  expect(brief(await it.next())).toEqual(['snapshot', head])
})

test('followRepo reports a refused head again when the branch was at an unreadable commit meanwhile', async () => {
  await using remote = await startRemote()
  await using fleet = await started(remote, 'Head')
  const unsigned = await fleet.push(undefined, 'unsigned')
  expect(brief(await fleet.told())).toEqual(['refused', unsigned, 'UntrustedCommit'])
  await fleet.signAs('ada')
  const gitdir = join(remote.work, '.git')
  const blob = await remote.git('hash-object', '-w', fleet.keyFile)
  const object = Buffer.concat([Buffer.from('100644 ..\0'), Buffer.from(blob, 'hex')])
  const tree = await writeObject({ fs, gitdir, type: 'tree', object, format: 'content' })
  const unsafe = await remote.git('commit-tree', '-S', '-p', fleet.first, '-m', 'a path that leads elsewhere', tree)
  await remote.git('push', '--quiet', '--force', 'origin', `${unsafe}:main`)
  fleet.it.pollNow()
  expect(brief(await fleet.it.next())).toEqual(['refused', unsafe, 'UnsafePath'])
  await remote.git('push', '--quiet', '--force', 'origin', `${unsigned}:main`)
  expect(brief(await fleet.told())).toEqual(['refused', unsigned, 'UntrustedCommit'])
})

test('a history that cannot be read is not called unsigned: the refusal says how to get it', async () => {
  await using remote = await startRemote()
  const { signAs, policy } = await signing(remote)
  await signAs('ada')
  const first = await remote.push('first')
  await remote.push('second')
  const head = await remote.push('third')
  await remote.git('clone', '--quiet', '--depth', '1', remote.url, join(remote.folder, 'shallow'))
  const signal = new AbortController().signal
  const history = new FetchedHistory({ deepen: async () => undefined }, { gitdir: join(remote.folder, 'shallow/.git'), signal })
  const keys = await policy('All').keys()
  expect(await unverified({ head, from: first, mode: 'All', keys, now: NOW, history })).toEqual({
    why: `the history between it and "${first}" cannot be read`,
    remedy: 'fetch all of it (git fetch --unshallow), or start the controller once with --commit-signatures Head',
  })
})

test('a controller that starts while the trusted keys cannot be read reports trouble, and takes the head once they can', async () => {
  await using remote = await startRemote()
  const { signAs, keyFile } = await signing(remote)
  const keys = await readFile(keyFile)
  await signAs('ada')
  const head = await remote.push('signed')
  await writeFile(keyFile, 'ada@example.invalid ssh-ed25519 cut-o')
  await using it = startFollow(remote.source(), { signatures: signaturesOf({ commitKeys: keyFile, cwd: '/' }) })
  expect(brief(await it.next())).toEqual(['trouble', 'KeysUnreadable', 1000])
  await writeFile(keyFile, keys)
  it.pollNow()
  expect(brief(await it.next())).toBe('recovered')
  expect(brief(await it.next())).toEqual(['snapshot', head])
})

test('a replacement of a commit in a repository on this machine does not lend it a signature', async () => {
  await using remote = await startRemote()
  const { signAs, policy } = await signing(remote)
  await signAs('ada')
  const signed = await remote.commit('signed')
  await signAs(undefined)
  const unsigned = await remote.commit('unsigned')
  await remote.git('replace', unsigned, signed)
  await using it = startFollow(createLocalSource({ path: remote.work, ref: { branch: 'main' } }), { signatures: policy('Head') })
  expect(brief(await it.next())).toEqual(['refused', unsigned, 'UntrustedCommit'])
})

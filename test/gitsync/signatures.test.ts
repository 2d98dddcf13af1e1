import { join } from 'node:path'
import { expect, test } from 'vitest'
import { splitCommit } from '../../src/gitsync/signatures/signed-object.ts'
import { readTrustedKeys } from '../../src/gitsync/signatures/trusted-keys.ts'
import { verifyCommit, verifyTag } from '../../src/gitsync/signatures/verify-object.ts'
import { signedObject, signingKeys, trusting } from './signature-fixture.ts'

const NOW = Date.parse('2026-10-01T00:00:00Z')

test.for([
  ['ssh-ed25519', 'ssh-ed25519.pub', 'ssh-ed25519@example.invalid'],
  ['ssh-sha256', 'ssh-ed25519.pub', 'ssh-ed25519@example.invalid'],
  ['ssh-rsa', 'ssh-rsa.pub', 'ssh-rsa@example.invalid'],
  ['ssh-ecdsa-256', 'ssh-ecdsa-256.pub', 'ssh-ecdsa-256@example.invalid'],
  ['ssh-ecdsa-384', 'ssh-ecdsa-384.pub', 'ssh-ecdsa-384@example.invalid'],
  ['ssh-ecdsa-521', 'ssh-ecdsa-521.pub', 'ssh-ecdsa-521@example.invalid'],
  ['pgp-rsa', 'pgp-rsa.asc', 'pgp-rsa <pgp-rsa@example.invalid>'],
  ['pgp-ed25519', 'pgp-ed25519.asc', 'pgp-ed25519 <pgp-ed25519@example.invalid>'],
  ['pgp-subkey', 'pgp-subkey.asc', 'pgp-subkey <pgp-subkey@example.invalid>'],
  ['pgp-merge', 'pgp-ed25519.asc', 'pgp-ed25519 <pgp-ed25519@example.invalid>'],
  ['pgp-revoked', 'pgp-before-revocation.asc', 'pgp-revoked <pgp-revoked@example.invalid>'],
] as const)('commit %s of real git is accepted from %s', async ([commit, key, signer]) => {
  expect(await verifyCommit(signedObject(commit), await trusting([key], NOW))).toEqual({ kind: 'accepted', signer })
})

test.for([
  ['unsigned', 'it is not signed'],
  ['ssh-namespace', 'its SSH signature is for "file", not for "git"'],
  ['pgp-expired-key', /"pgp-expired <.*>" does not hold: Primary key is expired/],
  ['pgp-expired-signature', /does not hold: Signature is expired/],
  ['pgp-revoked', /"pgp-revoked <.*>" does not hold: Primary key is revoked/],
  ['pgp-sha1', /does not hold: Insecure message hash algorithm: SHA1/],
  ['pgp-two', 'it has several OpenPGP signatures; expected one'],
  ['pgp-text', 'its OpenPGP signature is not one of a file'],
  ['pgp-future', /does not hold: Signature creation time is in the future/],
] as const)('commit %s of real git is refused although all keys are trusted', async ([commit, why]) => {
  const verdict = await verifyCommit(signedObject(commit), await trusting(signingKeys(), NOW))
  expect(verdict).toEqual({ kind: 'refused', why: typeof why === 'string' ? why : expect.stringMatching(why) })
})

test.for([
  ['ssh-ed25519', 'ssh-rsa.pub', /^no key that is trusted made its SSH signature \(SHA256:.{43}\)$/],
  ['pgp-rsa', 'pgp-ed25519.asc', /^no key that is trusted made its OpenPGP signature \(key [0-9a-f]{16}\)$/],
  ['pgp-rsa', 'ssh-rsa.pub', /^no key that is trusted made its OpenPGP signature/],
  ['pgp-merge', 'pgp-rsa.asc', /^no key that is trusted made its OpenPGP signature/],
] as const)('commit %s is refused when only %s is trusted', async ([commit, key, why]) => {
  const verdict = await verifyCommit(signedObject(commit), await trusting([key], NOW))
  expect(verdict).toEqual({ kind: 'refused', why: expect.stringMatching(why) })
})

test.for(['ssh-ed25519', 'ssh-rsa', 'ssh-ecdsa-256', 'pgp-rsa', 'pgp-ed25519'])(
  'commit %s is refused when any other byte stands in it',
  async (name) => {
    const object = signedObject(name)
    const trust = await trusting(signingKeys(), NOW)
    const at = object.indexOf('gpgsig')
    const end = object.indexOf('\n\n')
    for (const changed of [10, 40, at - 5, end + 4, object.length - 2]) {
      const forged = Buffer.from(object)
      forged[changed] = (forged[changed] ?? 0) ^ 1
      expect((await verifyCommit(forged, trust)).kind).toBe('refused')
    }
  },
)

test.for(['ssh-ed25519', 'pgp-rsa'])('the signature of commit %s is refused on another commit', async (name) => {
  const [, header = ''] = /\n(gpgsig [^\n]*\n(?: [^\n]*\n)*)/.exec(signedObject(name).toString('latin1')) ?? []
  const forged = Buffer.from(signedObject('unsigned').toString('latin1').replace('\n\n', `\n${header}\n`), 'latin1')
  expect((await verifyCommit(forged, await trusting(signingKeys(), NOW))).kind).toBe('refused')
})

/** What a tag is of. */
function commitOf(tag: string): string {
  return /^object ([0-9a-f]{40})/.exec(signedObject(tag).toString('latin1'))?.[1] ?? ''
}

/** Each leaves a good signature, and another meaning for one reader or another. */
test.for([
  ['a second signature', (text: string) => text.replace('\ngpgsig ', '\ngpgsig x\ngpgsig ')],
  ['the same signature twice', (text: string) => text.replace(/\n(gpgsig [^\n]*\n(?: [^\n]*\n)*)/, '\n$1$1')],
  ['a signature for another hash', (text: string) => text.replace('\ngpgsig ', '\ngpgsig-sha256 x\ngpgsig ')],
  ['a tree behind the signature', (text: string) => text.replace('\n\n', `\ntree ${'1'.repeat(40)}\n\n`)],
  ['a parent folded into the signature', (text: string) => text.replace('\n\n', `\n parent ${'1'.repeat(40)}\n\n`)],
  ['a parent behind the committer', (text: string) => text.replace('\ngpgsig ', `\nparent ${'1'.repeat(40)}\ngpgsig `)],
  ['a header before the tree', (text: string) => `x y\n${text}`],
  ['a NUL', (text: string) => text.replace('\ngpgsig ', '\nx \0\ngpgsig ')],
  ['no message', (text: string) => text.replace(/\n\n[\s\S]*/, '\n')],
] as const)('a signed commit with %s is refused', async ([, forge]) => {
  for (const name of ['ssh-ed25519', 'pgp-rsa']) {
    const forged = Buffer.from(forge(signedObject(name).toString('latin1')), 'latin1')
    expect((await verifyCommit(forged, await trusting(signingKeys(), NOW))).kind).toBe('refused')
  }
})

test.for(['tree', 'parent', 'author', 'committer'])(
  'a commit with a second %s is not of the form of Git, whoever signs it',
  (name) => {
    const text = signedObject('unsigned').toString('latin1')
    expect(splitCommit(Buffer.from(text))).toBeDefined()
    expect(splitCommit(Buffer.from(text.replace('\n\n', `\n${name} ${'1'.repeat(40)}\n\n`)))).toBeUndefined()
  },
)

test('the payload of a merge keeps the signed tag that was merged', () => {
  const { payload } = splitCommit(signedObject('pgp-merge')) ?? {}
  expect(payload?.toString()).toContain('\nmergetag object ')
  expect(payload?.toString()).toContain('\n -----BEGIN PGP SIGNATURE-----\n')
  expect(payload?.toString()).not.toContain('gpgsig')
})

test.for([
  ['ssh-tag', 'v1.0.0', 'accepted'],
  ['pgp-tag', 'v2.0.0', 'accepted'],
  ['ssh-tag', 'v2.0.0', 'refused'],
  ['ssh-ed25519', 'v1.0.0', 'refused'],
] as const)('tag %s as %s is %s', async ([tag, name, kind]) => {
  expect((await verifyTag(signedObject(tag), { name, commit: commitOf(tag) }, await trusting(signingKeys(), NOW))).kind).toBe(
    kind,
  )
})

test('a signed tag is refused for another commit than its own', async () => {
  const asked = { name: 'v2.0.0', commit: '1'.repeat(40) }
  expect((await verifyTag(signedObject('pgp-tag'), asked, await trusting(signingKeys(), NOW))).kind).toBe('refused')
})

test('a tag is refused as a commit, and when another byte stands in it', async () => {
  const trust = await trusting(signingKeys(), NOW)
  expect((await verifyCommit(signedObject('pgp-tag'), trust)).kind).toBe('refused')
  const forged = Buffer.from(signedObject('pgp-tag').toString('latin1').replace('a signed tag', 'a signed fag'), 'latin1')
  expect((await verifyTag(forged, { name: 'v2.0.0', commit: commitOf('pgp-tag') }, trust)).kind).toBe('refused')
})

test.for([
  ['namespaces="git"', 'accepted'],
  ['namespaces="file,g*"', 'accepted'],
  ['namespaces="*,!git"', 'refused'],
  ['namespaces="file"', 'refused'],
  ['valid-after="20260101Z",valid-before="20270101Z"', 'accepted'],
  ['valid-before="20260801Z"', 'refused'],
  // The commit says that it was made on 2026-09-21.
  ['valid-after="20260925Z"', 'refused'],
  ['valid-before="202609251200Z"', 'refused'],
] as const)('a key with the options %s is %s', async ([options, kind]) => {
  const keys = await trusting(['ssh-ed25519.pub'], NOW, options)
  expect((await verifyCommit(signedObject('ssh-ed25519'), keys)).kind).toBe(kind)
})

const ED25519 = 'AAAAC3NzaC1lZDI1NTE5AAAAI'
test.for([
  ['', 'it holds no key'],
  ['# ada@example.invalid ssh-ed25519 AAAA\n', 'it holds no key'],
  ['ada@example.invalid\n', 'line 1: expected principals, options if there are any, the type of a key and the key'],
  [
    `ada@example.invalid cert-authority ssh-ed25519 ${ED25519}`,
    'line 1: the option "cert-authority" is not supported; use namespaces',
  ],
  ['ada@example.invalid valid-before="tomorrow" ssh-ed25519 AAAA', 'line 1: '],
  ['\nada@example.invalid sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29t', 'line 2: '],
  ['ada@example.invalid ssh-ed25519 AAAA', 'line 1: '],
  [
    '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nxx\n-----END PGP PUBLIC KEY BLOCK-----',
    'does not conform to a valid OpenPGP format',
  ],
] as const)('a file of keys with %j is refused', async ([text, why]) => {
  await expect(trusting([], NOW, '', text)).rejects.toMatchObject({
    reason: 'KeysUnreadable',
    message: expect.stringContaining(why),
  })
})

test('an RSA key of 1024 bits and a private key are no keys to trust', async () => {
  await expect(trusting(['ssh-rsa-1024.pub'], NOW)).rejects.toMatchObject({
    message: expect.stringContaining('an RSA key of 1024 bits is too short'),
  })
  const secret = '-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nxx\n-----END PGP PRIVATE KEY BLOCK-----\n'
  await expect(trusting([], NOW, '', secret)).rejects.toMatchObject({ reason: 'KeysUnreadable' })
})

test('all files of a folder are trusted, and the id of the keys follows them', async () => {
  const one = await trusting(['ssh-ed25519.pub'], NOW)
  const all = await trusting(signingKeys(), NOW)
  expect([all.keys.signers.length, all.keys.pgp.length]).toEqual([5, 5])
  expect(one.keys.id).not.toBe(all.keys.id)
  const missing = join(import.meta.dirname, 'nowhere')
  await expect(readTrustedKeys(missing)).rejects.toMatchObject({ reason: 'KeysUnreadable' })
})

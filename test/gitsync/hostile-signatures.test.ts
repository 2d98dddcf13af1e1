import { expect, test } from 'vitest'
import { sshString } from '../../src/gitsync/signatures/ssh-wire.ts'
import { verifyCommit } from '../../src/gitsync/signatures/verify-object.ts'
import { keyText, signedObject, trusting } from './signature-fixture.ts'

const NOW = Date.parse('2026-10-01T00:00:00Z')

/** The unsigned commit with such headers behind its committer. */
function withHeaders(headers: string): Buffer {
  return Buffer.from(signedObject('unsigned').toString('latin1').replace('\n\n', `\n${headers}\n`), 'latin1')
}

test.for([[['pgp-before-revocation.asc', 'pgp-revoked.asc']], [['pgp-revoked.asc', 'pgp-before-revocation.asc']]] as const)(
  'a revocation of a key counts when an older copy of the key is trusted, too: %s',
  async ([[first, second]]) => {
    const trust = await trusting([], NOW, '', `${keyText(first)}\n${keyText(second)}`)
    expect(trust.keys.pgp.length).toBe(1)
    expect(await verifyCommit(signedObject('pgp-revoked'), trust)).toEqual({
      kind: 'refused',
      why: expect.stringContaining('Primary key is revoked'),
    })
  },
)

test('a key without its last lines is an error, though others beside it can be read', async () => {
  await expect(trusting(['ssh-rsa.pub'], NOW, '', keyText('pgp-rsa.asc').slice(0, 300))).rejects.toMatchObject({
    reason: 'KeysUnreadable',
    message: expect.stringContaining(
      '/more" of --commit-keys: it has a key without its line "-----END PGP PUBLIC KEY BLOCK-----"',
    ),
  })
})

test('an allowed signer beside an OpenPGP key in one file is an error, for nobody would look for it there', async () => {
  const both = `${keyText('pgp-rsa.asc')}\n# Ada's new key\n${keyText('ssh-ed25519.pub')}`
  await expect(trusting([], NOW, '', both)).rejects.toMatchObject({
    reason: 'KeysUnreadable',
    message: expect.stringMatching(/line \d+: it has an allowed signer beside OpenPGP keys; give each a file of its own/),
  })
})

test('an OpenPGP signature is accepted with a comment of the program that made it', async () => {
  const text = signedObject('pgp-rsa').toString('latin1')
  const commented = text.replace('SIGNATURE-----\n \n', 'SIGNATURE-----\n Comment: GPGTools - https://gpgtools.org\n \n')
  expect(commented).not.toBe(text)
  const trust = await trusting(['pgp-rsa.asc'], NOW)
  expect((await verifyCommit(Buffer.from(commented, 'latin1'), trust)).kind).toBe('accepted')
})

test('what a signature says of itself is quoted short, without control characters', async () => {
  const fields = ['key', `\x1b[31m${'evil'.repeat(10_000)}`, '', 'sha512'].map(sshString)
  const blob = Buffer.concat([Buffer.from('SSHSIG'), Buffer.from([0, 0, 0, 1]), ...fields])
  const inner = sshString(Buffer.concat([sshString('ssh-ed25519'), sshString('x')]))
  const base64 = Buffer.concat([blob, inner]).toString('base64')
  const signature = `-----BEGIN SSH SIGNATURE-----\n ${base64}\n -----END SSH SIGNATURE-----`
  expect(await verifyCommit(withHeaders(`gpgsig ${signature}\n`), await trusting(['ssh-ed25519.pub'], NOW))).toEqual({
    kind: 'refused',
    why: 'its SSH signature is for "\\u{1b}[31mevilevilevilevilevilevilevilev", not for "git"',
  })
})

test.for([
  ['a signature of a million lines', () => withHeaders(`gpgsig x\n${' AAAA\n'.repeat(1_000_000)}`)],
  ['200,000 parents', () => Buffer.from(`tree ${'1'.repeat(40)}\n${`parent ${'1'.repeat(40)}\n`.repeat(200_000)}\n`)],
] as const)('a commit with %s is refused, not searched', async ([, make]) => {
  expect(await verifyCommit(make(), await trusting(['ssh-ed25519.pub'], NOW))).toEqual({
    kind: 'refused',
    why: 'it has not the form that Git gives to a commit with at most one signature',
  })
})

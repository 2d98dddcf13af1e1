import { expect, test } from 'vitest'
import { requireSigned } from '../../../src/agent/adapters/rpm/signatures.ts'
import { MemoryFiles } from '../../../src/sim/host/memory-files.ts'

const DIGESTS = '    Header SHA256 digest: OK\n    Payload SHA256 digest: OK\n'
const signed = (verdict: string): string => `    Header V4 RSA/SHA512 Signature, key ID d655023a: ${verdict}\n${DIGESTS}`
/** As rpmkeys of rpm 6 says it. */
const signedBy6 = (verdict: string): string =>
  `    Header OpenPGP V4 RSA/SHA512 signature, key fingerprint: 1f0e5c2a7b9d8e6f4a3b2c1d0e9f8a7b6c5d4e3f: ${verdict}\n${DIGESTS}`
const REPOSITORY = '[a]\nbaseurl=https://a.test/\ngpgkey=file:///etc/pki/rpm-gpg/a.asc,\n  https://a.test/key\n'

/** As rpmkeys of rpm 4.18 answers, by the keyring of our own and by rpm's. */
async function judge(own: readonly [number, string], host: readonly [number, string]): Promise<string[]> {
  const files = new MemoryFiles()
  files.put('/etc/yum.repos.d/a.repo', REPOSITORY)
  files.put('/etc/pki/rpm-gpg/a.asc', 'key')
  const imported: string[] = []
  const run = async (_: string, args: readonly string[]) => {
    if (args.includes('--import')) imported.push(files.text(args.at(-1) ?? '') ?? 'nothing')
    const [code, stdout] = args.includes('--dbpath') ? own : host
    return { code, stdout, stderr: '', timedOut: false }
  }
  await requireSigned(['/store/tool.rpm'], new Map(), {
    files,
    directory: '/store/keyring',
    repositories: '/etc/yum.repos.d',
    run,
  })
  return imported
}

test('archive is signed by a key that a repository names as a file', async () => {
  expect(await judge([0, signed('OK')], [1, signed('NOKEY')])).toEqual(['key'])
})

test('archive is signed by a key that rpm trusts', async () => {
  expect(await judge([1, signed('NOKEY')], [0, signed('OK')])).toEqual(['key'])
})

test('archive is signed by a key that rpm 6 names by its fingerprint', async () => {
  expect(await judge([0, signedBy6('OK')], [1, signedBy6('NOKEY')])).toEqual(['key'])
})

test.each([
  ['without a signature, though its digests are right', 0, DIGESTS, 'it has no signature'],
  ['of a key that nobody knows', 1, signed('NOKEY'), 'key ID d655023a: NOKEY'],
  ['of a key that nobody knows, by rpm 6', 1, signedBy6('NOKEY'), '1f0e5c2a7b9d8e6f4a3b2c1d0e9f8a7b6c5d4e3f: NOKEY'],
  ['with a bad signature', 1, signed('BAD'), 'key ID d655023a: BAD'],
  [
    'with a good signature and a bad digest',
    1,
    signed('OK').replace('Payload SHA256 digest: OK', 'Payload SHA256 digest: BAD'),
    'BAD',
  ],
])('archive %s is refused', async (_, code, stdout, message) => {
  await expect(judge([code, stdout], [code, stdout])).rejects.toMatchObject({
    reason: 'PackageNotSigned',
    message: expect.stringContaining(message),
  })
})

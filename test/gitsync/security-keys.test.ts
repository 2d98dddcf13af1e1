import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { parseAllowedSigners } from '../../src/gitsync/signatures/allowed-signers.ts'
import { verifySsh } from '../../src/gitsync/signatures/ssh-signature.ts'
import { sshString } from '../../src/gitsync/signatures/ssh-wire.ts'

/** A key as a security token would hold it; real tokens cannot be had in a test. */
interface Token {
  readonly type: string
  readonly blob: Buffer
  sign(data: Buffer): Buffer
}

const APPLICATION = 'ssh:'
const [ED25519, ECDSA] = ['sk-ssh-ed25519@openssh.com', 'sk-ecdsa-sha2-nistp256@openssh.com']
const payload = Buffer.from('tree 1\n\nmessage\n')
const NOW = Date.parse('2026-10-01T00:00:00Z')

function ed25519Token(): Token {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { x = '' } = publicKey.export({ format: 'jwk' })
  const blob = Buffer.concat([ED25519, Buffer.from(x, 'base64url'), APPLICATION].map(sshString))
  return { type: ED25519, blob, sign: (data) => sign(null, data, privateKey) }
}

function ecdsaToken(): Token {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
  const blob = Buffer.concat([ECDSA, 'nistp256', point, APPLICATION].map(sshString))
  return { type: ECDSA, blob, sign: (data) => ecdsaSignature(data, privateKey) }
}

function ecdsaSignature(data: Buffer, key: KeyObject): Buffer {
  const pair = sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' })
  return Buffer.concat(
    [pair.subarray(0, 32), pair.subarray(32)].map((number) => sshString(Buffer.concat([Buffer.alloc(1), number]))),
  )
}

interface Statement {
  readonly flags?: number
  readonly application?: string
  readonly trailer?: Buffer
}

/** As `ssh-keygen -Y sign -n git` writes it. */
function signature({ type, blob, sign }: Token, { flags = 1, application = APPLICATION, trailer }: Statement = {}): string {
  const digest = createHash('sha512').update(payload).digest()
  const data = Buffer.concat([Buffer.from('SSHSIG'), ...['git', '', 'sha512', digest].map(sshString)])
  const stated = Buffer.from([flags, 0, 0, 0, 7])
  const hash = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest()
  const inner = [sshString(type), sshString(sign(Buffer.concat([hash(application), stated, hash(data)])))]
  const whole = Buffer.concat([
    Buffer.from('SSHSIG\x00\x00\x00\x01', 'latin1'),
    ...[blob, 'git', '', 'sha512', Buffer.concat([...inner, trailer ?? stated])].map(sshString),
  ])
  const base64 = whole.toString('base64').replace(/.{70}/g, '$&\n')
  return `-----BEGIN SSH SIGNATURE-----\n${base64}\n-----END SSH SIGNATURE-----\n`
}

function verdict(token: Token, text: string) {
  const signers = parseAllowedSigners(`ada@example.com namespaces="git" ${token.type} ${token.blob.toString('base64')}\n`)
  return verifySsh({ payload, signature: text, signers, instants: [NOW] })
}

const BAD = { kind: 'refused', why: 'its SSH signature is not of its content' }

test.each([
  ['ed25519', ed25519Token()],
  ['ECDSA', ecdsaToken()],
] as const)('a signature of a security token is accepted from an allowed %s key', (_, token) => {
  expect(verdict(token, signature(token))).toEqual({ kind: 'accepted', signer: 'ada@example.com' })
})

test.each([
  ['that nobody touched', { flags: 0 }],
  ['for another application', { application: 'ssh:other' }],
  ['whose counter was changed', { trailer: Buffer.from([1, 0, 0, 0, 8]) }],
  ['whose flags were changed', { trailer: Buffer.from([5, 0, 0, 0, 7]) }],
] as const)('a signature of a security token %s is refused', (_, statement) => {
  const token = ed25519Token()
  expect(verdict(token, signature(token, statement))).toEqual(BAD)
})

test.each([
  ['without what the token states', Buffer.alloc(0), BAD],
  ['with half of what the token states', Buffer.from([1, 0, 0]), { kind: 'refused', why: 'its SSH signature is damaged' }],
  ['with more than the token states', Buffer.from([1, 0, 0, 0, 7, 0]), { kind: 'refused', why: 'its SSH signature is damaged' }],
] as const)('a signature of a security token %s is refused', (_, trailer, expected) => {
  const token = ecdsaToken()
  expect(verdict(token, signature(token, { trailer }))).toEqual(expected)
})

test('a signature by the name of an ordinary key is refused from a security token', () => {
  const token = ed25519Token()
  expect(verdict(token, signature({ ...token, type: 'ssh-ed25519' }))).toEqual(BAD)
})

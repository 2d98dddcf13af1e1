import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { signedByToken, type TokenStatement } from './security-key.ts'
import { SshReader } from './ssh-wire.ts'

/** A public key as SSH writes it. */
export interface SshPublicKey {
  readonly type: string
  readonly blob: Buffer
  /** @throws {RangeError} when the signature is not of the form of its algorithm */
  verifies(data: Buffer, signature: SshSignatureBytes): boolean
}

export interface SshSignatureBytes {
  readonly algorithm: string
  readonly bytes: Buffer
  /** Of keys on security tokens, and of no others. */
  readonly statement?: TokenStatement | undefined
}

const CURVES: Readonly<Record<string, { readonly crv: string; readonly hash: string; readonly size: number }>> = {
  'ecdsa-sha2-nistp256': { crv: 'P-256', hash: 'sha256', size: 32 },
  'ecdsa-sha2-nistp384': { crv: 'P-384', hash: 'sha384', size: 48 },
  'ecdsa-sha2-nistp521': { crv: 'P-521', hash: 'sha512', size: 66 },
}
/** `ssh-rsa` is not among them: it is of SHA-1. */
const RSA_HASHES: Readonly<Record<string, string>> = { 'rsa-sha2-256': 'sha256', 'rsa-sha2-512': 'sha512' }
const LEAST_RSA_BITS = 2048

/** Keys on security tokens, by the type that they are like. */
const ON_TOKENS: Readonly<Record<string, string>> = {
  'sk-ssh-ed25519@openssh.com': 'ssh-ed25519',
  'sk-ecdsa-sha2-nistp256@openssh.com': 'ecdsa-sha2-nistp256',
}

export const SSH_KEY_TYPES: readonly string[] = ['ssh-ed25519', 'ssh-rsa', ...Object.keys(CURVES), ...Object.keys(ON_TOKENS)]

/** Of one signature algorithm, whatever the name of the key's type is. */
type Verify = (data: Buffer, bytes: Buffer, algorithm: string) => boolean

/** @throws {Error} saying what is wrong with the key */
export function readSshKey(blob: Buffer): SshPublicKey {
  const reader = new SshReader(blob)
  const type = reader.text()
  const like = Object.hasOwn(ON_TOKENS, type) ? ON_TOKENS[type] : undefined
  const verifies = like === undefined ? onDisk(type, reader) : onToken(type, { like, reader })
  if (!reader.isAtEnd) throw new Error(`the key of type "${type}" has more bytes than it needs`)
  return { type, blob, verifies }
}

function onDisk(type: string, reader: SshReader): SshPublicKey['verifies'] {
  const check = verifierOf(type, reader)
  return (data, { algorithm, bytes, statement }) => statement === undefined && check(data, bytes, algorithm)
}

function onToken(
  type: string,
  { like, reader }: { readonly like: string; readonly reader: SshReader },
): SshPublicKey['verifies'] {
  const check = verifierOf(like, reader)
  const application = reader.string()
  return (data, { algorithm, bytes, statement }) => {
    const signed = statement && signedByToken(data, { application, statement })
    return algorithm === type && signed !== undefined && check(signed, bytes, like)
  }
}

function verifierOf(type: string, reader: SshReader): Verify {
  if (type === 'ssh-ed25519') return ed25519(reader)
  if (type === 'ssh-rsa') return rsa(reader)
  const curve = Object.hasOwn(CURVES, type) ? CURVES[type] : undefined
  if (curve) return ecdsa(type, { ...curve, reader })
  throw new Error(`keys of type "${type}" are not supported; use ${SSH_KEY_TYPES.join(', ')}`)
}

function ed25519(reader: SshReader): Verify {
  const key = jwk({ kty: 'OKP', crv: 'Ed25519', x: reader.string().toString('base64url') })
  return (data, bytes, algorithm) => algorithm === 'ssh-ed25519' && verify(null, data, key, bytes)
}

function rsa(reader: SshReader): Verify {
  const [e, n] = [reader.number(), reader.number()]
  const key = jwk({ kty: 'RSA', e: e.toString('base64url'), n: n.toString('base64url') })
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
  if (bits < LEAST_RSA_BITS) throw new Error(`an RSA key of ${bits} bits is too short; ${LEAST_RSA_BITS} is the least`)
  const padding = { key, padding: constants.RSA_PKCS1_PADDING }
  return (data, bytes, algorithm) => {
    const hash = Object.hasOwn(RSA_HASHES, algorithm) ? RSA_HASHES[algorithm] : undefined
    return hash !== undefined && verify(hash, data, padding, bytes)
  }
}

function ecdsa(
  type: string,
  { crv, hash, size, reader }: { crv: string; hash: string; size: number; reader: SshReader },
): Verify {
  const curve = reader.text()
  const point = reader.string()
  if (type !== `ecdsa-sha2-${curve}` || point.length !== 1 + 2 * size || point[0] !== 4)
    throw new Error(`the key of type "${type}" is damaged`)
  const [x, y] = [point.subarray(1, 1 + size), point.subarray(1 + size)]
  const key = jwk({ kty: 'EC', crv, x: x.toString('base64url'), y: y.toString('base64url') })
  return (data, bytes, algorithm) => {
    const numbers = new SshReader(bytes)
    const [r, s] = [numbers.number(), numbers.number()]
    if (algorithm !== type || !numbers.isAtEnd || r.length > size || s.length > size) return false
    const pair = Buffer.concat([padded(r, size), padded(s, size)])
    return verify(hash, data, { key, dsaEncoding: 'ieee-p1363' }, pair)
  }
}

function padded(number: Buffer, size: number): Buffer {
  return Buffer.concat([Buffer.alloc(size - number.length), number])
}

function jwk(key: Readonly<Record<string, string>>): KeyObject {
  return createPublicKey({ key, format: 'jwk' })
}

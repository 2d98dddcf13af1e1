import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { SshReader } from './ssh-wire.ts'

/** A public key as SSH writes it. */
export interface SshPublicKey {
  readonly type: string
  readonly blob: Buffer
  /** @param signature the algorithm's name and its bytes. @throws {RangeError} when it is not of that form */
  verifies(data: Buffer, signature: { readonly algorithm: string; readonly bytes: Buffer }): boolean
}

const CURVES: Readonly<Record<string, { readonly crv: string; readonly hash: string; readonly size: number }>> = {
  'ecdsa-sha2-nistp256': { crv: 'P-256', hash: 'sha256', size: 32 },
  'ecdsa-sha2-nistp384': { crv: 'P-384', hash: 'sha384', size: 48 },
  'ecdsa-sha2-nistp521': { crv: 'P-521', hash: 'sha512', size: 66 },
}
/** `ssh-rsa` is not among them: it is of SHA-1. */
const RSA_HASHES: Readonly<Record<string, string>> = { 'rsa-sha2-256': 'sha256', 'rsa-sha2-512': 'sha512' }
const LEAST_RSA_BITS = 2048

export const SSH_KEY_TYPES: readonly string[] = ['ssh-ed25519', 'ssh-rsa', ...Object.keys(CURVES)]

/** @throws {Error} saying what is wrong with the key */
export function readSshKey(blob: Buffer): SshPublicKey {
  const reader = new SshReader(blob)
  const type = reader.text()
  const key = keyOf(type, reader)
  if (!reader.isAtEnd) throw new Error(`the key of type "${type}" has more bytes than it needs`)
  return key(blob)
}

function keyOf(type: string, reader: SshReader): (blob: Buffer) => SshPublicKey {
  if (type === 'ssh-ed25519') return ed25519(reader)
  if (type === 'ssh-rsa') return rsa(reader)
  const curve = CURVES[type]
  if (curve) return ecdsa(type, { ...curve, reader })
  throw new Error(`keys of type "${type}" are not supported; use ${SSH_KEY_TYPES.join(', ')}`)
}

function ed25519(reader: SshReader): (blob: Buffer) => SshPublicKey {
  const key = jwk({ kty: 'OKP', crv: 'Ed25519', x: reader.string().toString('base64url') })
  const type = 'ssh-ed25519'
  return (blob) => ({
    type,
    blob,
    verifies: (data, { algorithm, bytes }) => algorithm === type && verify(null, data, key, bytes),
  })
}

function rsa(reader: SshReader): (blob: Buffer) => SshPublicKey {
  const [e, n] = [reader.number(), reader.number()]
  const key = jwk({ kty: 'RSA', e: e.toString('base64url'), n: n.toString('base64url') })
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
  if (bits < LEAST_RSA_BITS) throw new Error(`an RSA key of ${bits} bits is too short; ${LEAST_RSA_BITS} is the least`)
  const padding = { key, padding: constants.RSA_PKCS1_PADDING }
  return (blob) => ({
    type: 'ssh-rsa',
    blob,
    verifies(data, { algorithm, bytes }) {
      const hash = RSA_HASHES[algorithm]
      return hash !== undefined && verify(hash, data, padding, bytes)
    },
  })
}

function ecdsa(type: string, { crv, hash, size, reader }: { crv: string; hash: string; size: number; reader: SshReader }) {
  const curve = reader.text()
  const point = reader.string()
  if (type !== `ecdsa-sha2-${curve}` || point.length !== 1 + 2 * size || point[0] !== 4)
    throw new Error(`the key of type "${type}" is damaged`)
  const [x, y] = [point.subarray(1, 1 + size), point.subarray(1 + size)]
  const key = jwk({ kty: 'EC', crv, x: x.toString('base64url'), y: y.toString('base64url') })
  return (blob: Buffer): SshPublicKey => ({
    type,
    blob,
    verifies(data, { algorithm, bytes }) {
      const numbers = new SshReader(bytes)
      const [r, s] = [numbers.number(), numbers.number()]
      if (algorithm !== type || !numbers.isAtEnd || r.length > size || s.length > size) return false
      const pair = Buffer.concat([padded(r, size), padded(s, size)])
      return verify(hash, data, { key, dsaEncoding: 'ieee-p1363' }, pair)
    },
  })
}

function padded(number: Buffer, size: number): Buffer {
  return Buffer.concat([Buffer.alloc(size - number.length), number])
}

function jwk(key: Readonly<Record<string, string>>): KeyObject {
  return createPublicKey({ key, format: 'jwk' })
}

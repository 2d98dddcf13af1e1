import { createHash } from 'node:crypto'
import type { SshReader } from './ssh-wire.ts'

/** What a security token puts beside a signature. */
export interface TokenStatement {
  /** Bits: what the token has seen of its owner. */
  readonly flags: number
  readonly counter: number
}

/** The owner has touched the token. */
const USER_PRESENT = 0x01

/** @returns undefined for an ordinary signature, after which nothing stands. @throws {RangeError} for anything else */
export function readStatement(reader: SshReader): TokenStatement | undefined {
  if (reader.isAtEnd) return undefined
  return { flags: reader.byte(), counter: reader.uint32() }
}

/**
 * What a token signs in place of data (PROTOCOL.u2f of OpenSSH): the application that the key is for, what it states, and the data's hash.
 * @returns undefined when nobody has touched the token: programs on the owner's machine could sign alone.
 */
export function signedByToken(
  data: Buffer,
  { application, statement: { flags, counter } }: { readonly application: Buffer; readonly statement: TokenStatement },
): Buffer | undefined {
  if ((flags & USER_PRESENT) === 0) return undefined
  const stated = Buffer.alloc(5)
  stated.writeUInt8(flags, 0)
  stated.writeUInt32BE(counter, 1)
  return Buffer.concat([sha256(application), stated, sha256(data)])
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}

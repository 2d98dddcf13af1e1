import { createHash } from 'node:crypto'
import { parse } from 'yaml'
import type { SecretSource } from './schema/host-profile.ts'

/** A document that SOPS encrypted. What it means can be told without a key; what it holds cannot. */
export interface SopsDocument {
  /** Without what SOPS says of itself. */
  readonly values: SopsMap
  /** Of each recipient the data key, encrypted by age. */
  readonly keys: readonly { readonly recipient: string; readonly enc: string }[]
  readonly mac: string
  readonly lastModified: string
}

export type SopsValue = null | string | number | boolean | readonly SopsValue[] | SopsMap
export interface SopsMap {
  readonly [key: string]: SopsValue
}

/** `ENC[AES256_GCM,data:…,iv:…,tag:…,type:…]` */
export const ENCRYPTED = /^ENC\[AES256_GCM,data:([A-Za-z0-9+/=]*),iv:([A-Za-z0-9+/=]+),tag:([A-Za-z0-9+/=]+),type:([a-z]+)\]$/
/** The key under which SOPS puts a file that it does not look into. */
const BINARY = ['data']
const MAX_ALIASES = 0
/** Types of what may be the content of a file. */
const TEXTS = ['str', 'bytes']

/** @throws {Error} saying why it is none that can be used */
export function readSops(bytes: Uint8Array): SopsDocument {
  const { sops, ...values } = asMap(parsed(bytes))
  const about = asMap(sops)
  if (about.mac === undefined && about.age === undefined) throw new Error('it is not encrypted with SOPS')
  if (about.mac_only_encrypted === true) throw new Error('it has mac_only_encrypted: true; encrypt it without that')
  const groups = Array.isArray(about.key_groups) ? about.key_groups : []
  if (groups.length > 0) throw new Error('it has key groups; encrypt it without them')
  const keys = (Array.isArray(about.age) ? about.age : []).flatMap((entry) => {
    const { recipient, enc } = asMap(entry)
    return typeof recipient === 'string' && typeof enc === 'string' ? [{ recipient, enc }] : []
  })
  if (keys.length === 0) throw new Error('it has no age recipient')
  const { mac, lastmodified } = about
  if (typeof mac !== 'string' || !ENCRYPTED.test(mac)) throw new Error('it has no MAC')
  if (typeof lastmodified !== 'string') throw new Error('it does not say when it was encrypted, which the MAC needs')
  return { values, keys, mac, lastModified: lastmodified }
}

/** The words of the parser would quote what stands there. */
function parsed(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return parse(text, { maxAliasCount: MAX_ALIASES, logLevel: 'error', stringKeys: true, schema: 'core' })
  } catch {
    throw new Error('it is neither YAML nor JSON; other formats are encrypted as binary: sops encrypt --input-type binary')
  }
}

function asMap(value: unknown): SopsMap {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as SopsMap) : {}
}

/** Keys that lead to what a file gets. */
export function keysOf({ key }: SecretSource): readonly string[] {
  return key === undefined ? BINARY : key.split('.')
}

/** Only what the map has itself: keys come from the repository. */
export function valueAt(values: SopsValue | undefined, keys: readonly string[]): SopsValue | undefined {
  return keys.reduce<SopsValue | undefined>(
    (value, key) => (Object.hasOwn(asMap(value), key) ? asMap(value)[key] : undefined),
    values,
  )
}

export interface Complaint {
  readonly at: 'sopsFile' | 'key'
  readonly message: string
  readonly remedy: string
}

/** @returns undefined when all is well, as far as it can be told without a key */
export function complaintAbout(bytes: Uint8Array, source: SecretSource): Complaint | undefined {
  try {
    const { values } = readSops(bytes)
    const value = valueAt(values, keysOf(source))
    const [, , , , type = ''] = typeof value === 'string' ? (ENCRYPTED.exec(value) ?? []) : []
    if (TEXTS.includes(type)) return undefined
    return noSecretAt(source, value)
  } catch (error) {
    const message = `"${source.sopsFile}" cannot be used as a secret: ${(error as Error).message}`
    return { at: 'sopsFile', message, remedy: 'encrypt it with SOPS for age keys: sops encrypt --age RECIPIENT' }
  }
}

function noSecretAt({ sopsFile, key }: SecretSource, value: SopsValue | undefined): Complaint {
  if (key === undefined) {
    const message = `"${sopsFile}" is not encrypted as a whole`
    return { at: 'sopsFile', message, remedy: 'name a key in it, or encrypt it with --input-type binary' }
  }
  const found = value === undefined ? 'has no value' : 'has no encrypted text'
  return { at: 'key', message: `"${sopsFile}" ${found} at "${key}"`, remedy: 'name the key of one encrypted text' }
}

/** Tells two encrypted contents apart without a key. It gives nothing away: the repository shows what it is made of. */
export function encryptedHash(bytes: Uint8Array, source: SecretSource): string {
  const hash = createHash('sha256').update(String(valueAt(readSops(bytes).values, keysOf(source))))
  return `encrypted:${hash.digest('hex').slice(0, 32)}`
}

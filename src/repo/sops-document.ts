import { parseDocument } from 'yaml'
import { repeatedKey } from '../protocol/repeated-key.ts'
import type { SopsSource } from './schema/host-profile.ts'

/** A document that SOPS encrypted. What it means can be checked without a key; what it holds cannot. */
export interface SopsDocument {
  /** Without what SOPS says of itself. */
  readonly values: SopsMap
  /** Of each recipient the data key, encrypted by age. */
  readonly keys: readonly { readonly recipient: string; readonly enc: string }[]
  readonly mac: string
  readonly lastModified: string
}

/** Whole numbers are bigints and maps keep their order, for the MAC is over the values as they stand there. */
export type SopsValue = null | string | number | bigint | boolean | readonly SopsValue[] | SopsMap
export type SopsMap = ReadonlyMap<string, SopsValue>

/** `ENC[AES256_GCM,data:…,iv:…,tag:…,type:…]` */
export const ENCRYPTED = /^ENC\[AES256_GCM,data:([A-Za-z0-9+/=]*),iv:([A-Za-z0-9+/=]+),tag:([A-Za-z0-9+/=]+),type:([a-z]+)\]$/
/** The key under which SOPS puts a file that it does not look into. */
const BINARY = ['data']
const MAX_ALIASES = 0
/** Types of what may be the content of a file. */
const TEXTS = ['str', 'bytes']

const UNREADABLE =
  'it is not one document of YAML or JSON; other formats are encrypted as binary: sops encrypt --input-type binary'

/** @throws {Error} saying why it is none that can be used */
export function readSops(bytes: Uint8Array): SopsDocument {
  const values = parsed(bytes)
  if (!isSopsMap(values)) throw new Error(UNREADABLE)
  const about = asMap(values.get('sops'))
  if (!about.has('mac') && !about.has('age')) throw new Error('it is not encrypted with SOPS')
  if (about.get('mac_only_encrypted') === true) throw new Error('it has mac_only_encrypted: true; encrypt it without that')
  if (asList(about.get('key_groups')).length > 0) throw new Error('it has key groups; encrypt it without them')
  const keys = asList(about.get('age')).flatMap((entry) => {
    const [recipient, enc] = ['recipient', 'enc'].map((key) => asMap(entry).get(key))
    return typeof recipient === 'string' && typeof enc === 'string' ? [{ recipient, enc }] : []
  })
  if (keys.length === 0) throw new Error('it has no age recipient')
  const [mac, lastModified] = [about.get('mac'), about.get('lastmodified')]
  if (typeof mac !== 'string' || !ENCRYPTED.test(mac)) throw new Error('it has no MAC')
  if (typeof lastModified !== 'string') throw new Error('it does not say when it was encrypted, which the MAC needs')
  return { values: new Map([...values].filter(([key]) => key !== 'sops')), keys, mac, lastModified }
}

/** The words of the parser would quote what stands there. */
function parsed(bytes: Uint8Array): SopsValue {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const asItStands = { intAsBigInt: true, stringKeys: true, schema: 'core' } as const
    const document = parseDocument(text, { logLevel: 'error', uniqueKeys: false, ...asItStands })
    if (document.errors.length === 0 && !repeatedKey(document))
      return document.toJS({ mapAsMap: true, maxAliasCount: MAX_ALIASES })
  } catch {
    // The parser has no message of its own that may be shown.
  }
  throw new Error(UNREADABLE)
}

export function isSopsMap(value: SopsValue | undefined): value is SopsMap {
  return value instanceof Map
}

function asMap(value: SopsValue | undefined): SopsMap {
  return isSopsMap(value) ? value : new Map()
}

export function isSopsList(value: SopsValue | undefined): value is readonly SopsValue[] {
  return Array.isArray(value)
}

function asList(value: SopsValue | undefined): readonly SopsValue[] {
  return isSopsList(value) ? value : []
}

/** Keys that lead to what a file gets. */
export function keysOf({ key }: Pick<SopsSource, 'key'>): readonly string[] {
  if (key === undefined) return BINARY
  return typeof key === 'string' ? key.split('.') : key
}

export function valueAt(values: SopsValue | undefined, keys: readonly string[]): SopsValue | undefined {
  return keys.reduce<SopsValue | undefined>((value, key) => asMap(value).get(key), values)
}

export interface Complaint {
  readonly at: 'sopsFile' | 'key'
  readonly message: string
  readonly remedy: string
}

/** @returns undefined when all is well, as far as it can be checked without a key */
export function complaintAbout(bytes: Uint8Array, source: SopsSource): Complaint | undefined {
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

function noSecretAt(source: SopsSource, value: SopsValue | undefined): Complaint {
  const { sopsFile, key } = source
  if (key === undefined) {
    const message = `"${sopsFile}" is not encrypted as a whole`
    return { at: 'sopsFile', message, remedy: 'name a key in it, or encrypt it with --input-type binary' }
  }
  const found = value === undefined ? 'has no value' : 'has no encrypted text'
  return {
    at: 'key',
    message: `"${sopsFile}" ${found} at "${keysOf(source).join('.')}"`,
    remedy: 'name the key of one encrypted text',
  }
}

/** What stands for a content that nobody here can decrypt. */
export function encryptedForm(bytes: Uint8Array, source: Pick<SopsSource, 'key'>): string {
  return String(valueAt(readSops(bytes).values, keysOf(source)))
}

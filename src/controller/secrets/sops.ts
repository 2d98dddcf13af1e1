import { createDecipheriv, createHash } from 'node:crypto'
import { ENCRYPTED, isSopsList, isSopsMap, type SopsDocument, type SopsMap, type SopsValue } from '../../repo/sops-document.ts'

/**
 * Decrypts a document with its data key, as SOPS does, and proves by its MAC that nobody changed a value, encrypted or not.
 * @throws {Error} that quotes nothing of it
 */
export function decryptSops({ values, mac, lastModified }: SopsDocument, dataKey: Uint8Array): SopsMap {
  const hash = createHash('sha512')
  const walk = (value: SopsValue, path: readonly string[]): SopsValue => {
    // Indices of lists are no part of the path.
    if (isSopsList(value)) return value.map((item) => walk(item, path))
    if (isSopsMap(value)) return new Map([...value].map(([key, member]) => [key, walk(member, [...path, key])]))
    if (value === null) return null
    const [, , , , type] = typeof value === 'string' ? (ENCRYPTED.exec(value) ?? []) : []
    if (type === undefined) hash.update(plainText(value))
    const text = type === undefined ? undefined : decryptValue(String(value), { dataKey, about: aboutPath(path) })
    // Comments of a list are items of it.
    if (text && type !== 'comment') hash.update(text)
    return text?.toString('base64') ?? value
  }
  const decrypted = walk(values, []) as SopsMap
  const expected = decryptValue(mac, { dataKey, about: lastModified }).toString()
  if (expected !== hash.digest('hex').toUpperCase()) throw new Error('its MAC is that of other values: somebody changed it')
  return decrypted
}

function aboutPath(path: readonly string[]): string {
  return path.map((key) => `${key}:`).join('')
}

/** As SOPS writes it for the MAC. */
function plainText(value: string | number | bigint | boolean): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return typeof value === 'number' ? withoutExponent(value) : String(value)
}

/** `1e-7` is `0.0000001`. */
function withoutExponent(value: number): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e(.+))?$/.exec(String(value)) ?? []
  if (exponent === '0') return String(value)
  const shift = whole.length + Number(exponent)
  const digits = `${whole}${fraction}`.padEnd(shift, '0')
  return shift > 0 ? `${sign}${digits.slice(0, shift)}` : `${sign}0.${digits.padStart(digits.length - shift, '0')}`
}

/** @param about what the value is bound to: it cannot be moved to another place */
function decryptValue(value: string, { dataKey, about }: { readonly dataKey: Uint8Array; readonly about: string }): Buffer {
  const [, data = '', iv = '', tag = ''] = ENCRYPTED.exec(value) ?? []
  const [bytes, vector, seal] = [data, iv, tag].map((text) => Buffer.from(text, 'base64')) as [Buffer, Buffer, Buffer]
  try {
    const decipher = createDecipheriv('aes-256-gcm', dataKey, vector, { authTagLength: 16 })
    decipher.setAAD(Buffer.from(about))
    decipher.setAuthTag(seal)
    return Buffer.concat([decipher.update(bytes), decipher.final()])
  } catch {
    throw new Error('a value of it cannot be decrypted: somebody changed or moved it')
  }
}

import { createDecipheriv, createHash } from 'node:crypto'
import { ENCRYPTED, type SopsDocument, type SopsMap, type SopsValue } from '../../repo/sops-document.ts'

/**
 * Decrypts a document with its data key, as SOPS does, and proves by its MAC that nobody changed a value, encrypted or not.
 * @throws {Error} that quotes nothing of it
 */
export function decryptSops({ values, mac, lastModified }: SopsDocument, dataKey: Uint8Array): SopsMap {
  const hash = createHash('sha512')
  const walk = (value: SopsValue, path: readonly string[]): SopsValue => {
    // Indices of lists are no part of the path.
    if (Array.isArray(value)) return value.map((item: SopsValue) => walk(item, path))
    if (isMap(value)) return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, walk(member, [...path, key])]))
    if (value === null) return null
    const text =
      typeof value === 'string' && ENCRYPTED.test(value) ? decryptValue(value, { dataKey, about: aboutPath(path) }) : undefined
    hash.update(text ?? plainText(value))
    return text?.toString('base64') ?? value
  }
  const decrypted = walk(values, []) as SopsMap
  const expected = decryptValue(mac, { dataKey, about: lastModified }).toString()
  if (expected !== hash.digest('hex').toUpperCase()) throw new Error('its MAC is that of other values: somebody changed it')
  return decrypted
}

function isMap(value: SopsValue): value is SopsMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function aboutPath(path: readonly string[]): string {
  return path.map((key) => `${key}:`).join('')
}

function plainText(value: Exclude<SopsValue, null>): string {
  return typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value)
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

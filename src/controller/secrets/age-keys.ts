import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/** What opens the secrets of a fleet. */
export interface AgeKeys {
  /** @param keys each the data key for one recipient. @throws {Error} when none of them is for one of ours */
  open(keys: readonly { readonly recipient: string; readonly enc: string }[]): Promise<Uint8Array>
  /** Equal for equal texts, and of no use to anybody else. */
  hashOf(text: string): string
}

/** A line of its own: a key that somebody commented out is none. */
const IDENTITY = /^[ \t]*(AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]+)[ \t]*\r?$/gm
const MAX_KEYS = 100

/** Reads a key file as `age-keygen` writes it; lines may be added, the first key stays the one that hashes are made with. @throws {Error} */
export async function readAgeKeys(path: string): Promise<AgeKeys> {
  const text = await readFile(path, 'utf8').catch((cause) => {
    throw new Error(`failed to read "${path}" of --age-key-file`, { cause })
  })
  const identities = [...text.matchAll(IDENTITY)].map(([, identity = '']) => identity).slice(0, MAX_KEYS)
  const [first] = identities
  if (first === undefined) throw new Error(`"${path}" of --age-key-file has no age key; make one with age-keygen`)
  // Apart from every other use of the key.
  const hashKey = createHmac('sha256', first).update('nodewave content hashes').digest()
  return {
    open: (keys) => openWith(identities, keys),
    hashOf: (content) => createHmac('sha256', hashKey).update(content).digest('hex').slice(0, 32),
  }
}

async function openWith(identities: readonly string[], keys: readonly { readonly recipient: string; readonly enc: string }[]) {
  // Only a fleet with secrets pays for it.
  const { armor, Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  try {
    for (const identity of identities) decrypter.addIdentity(identity)
  } catch {
    throw new Error('a key of --age-key-file is damaged; its last characters are a checksum')
  }
  for (const { enc } of keys) {
    const dataKey = await Promise.resolve()
      .then(() => decrypter.decrypt(armor.decode(enc)))
      .catch(() => undefined)
    if (dataKey) return dataKey
  }
  const recipients = keys.map(({ recipient }) => recipient).slice(0, 3)
  throw new Error(`no key of --age-key-file opens it; it is for ${recipients.join(', ')}`)
}

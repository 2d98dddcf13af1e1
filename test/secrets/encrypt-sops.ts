import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { armor, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'

export interface AgeKey {
  readonly identity: string
  readonly recipient: string
}

export async function anAgeKey(): Promise<AgeKey> {
  const identity = await generateX25519Identity()
  return { identity, recipient: await identityToRecipient(identity) }
}

type Values = { readonly [key: string]: string | Values }

const STAMP = '2026-11-22T06:00:00Z'

/** A document as `sops encrypt --age RECIPIENT` writes it: maps of texts, each text encrypted. */
export async function encryptSops(values: Values, recipients: readonly string[], more: object = {}): Promise<string> {
  const dataKey = randomBytes(32)
  const hash = createHash('sha512')
  const walk = (value: string | Values, path: readonly string[]): unknown => {
    if (typeof value === 'string') {
      hash.update(value)
      return encrypted(value, dataKey, `${path.join(':')}:`)
    }
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, walk(member, [...path, key])]))
  }
  const body = walk(values, []) as object
  const mac = encrypted(hash.digest('hex').toUpperCase(), dataKey, STAMP)
  const age: object[] = []
  for (const recipient of recipients) {
    const encrypter = new Encrypter()
    encrypter.addRecipient(recipient)
    age.push({ recipient, enc: armor.encode(await encrypter.encrypt(dataKey)) })
  }
  return JSON.stringify({ ...body, sops: { age, lastmodified: STAMP, mac, version: '3.13.3', ...more } })
}

function encrypted(text: string, key: Buffer, about: string): string {
  const iv = randomBytes(32)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  cipher.setAAD(Buffer.from(about))
  const data = Buffer.concat([cipher.update(text), cipher.final()])
  const [shown, vector, tag] = [data, iv, cipher.getAuthTag()].map((bytes) => bytes.toString('base64'))
  return `ENC[AES256_GCM,data:${shown},iv:${vector},tag:${tag},type:str]`
}

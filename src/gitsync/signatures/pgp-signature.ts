import type { PublicKey } from 'openpgp'
import { accepted, refused, type Verdict } from './verdict.ts'

export interface PgpVerification {
  readonly payload: Buffer
  readonly signature: string
  readonly keys: readonly PublicKey[]
  readonly now: number
}

/** Milliseconds by which the clock of whoever signs may be ahead. */
const SKEW = 300_000
/** What Git makes: of the bytes as they are. One of text is also of others, with other line breaks. */
const BINARY = 0
/** One block and nothing else, so that nobody can hide anything beside it. */
const ARMOR = /^-----BEGIN PGP SIGNATURE-----\r?\n(?:(?!-)[^\n]*\n)+-----END PGP SIGNATURE-----\s*$/

/** Checks a detached OpenPGP signature. The library refuses MD5 and SHA-1, short RSA keys, DSA, and keys revoked or expired when it was made. */
export async function verifyPgp({ payload, signature, keys, now }: PgpVerification): Promise<Verdict> {
  // Only whoever trusts such keys pays for it.
  const { createMessage, readSignature, verify } = await import('openpgp')
  const parsed = ARMOR.test(signature) ? await readSignature({ armoredSignature: signature }).catch(() => undefined) : undefined
  const [packet, ...more] = parsed?.packets ?? []
  if (!parsed || !packet) return refused('its OpenPGP signature is damaged')
  if (more.length > 0) return refused('it has several OpenPGP signatures; expected one')
  if (packet.signatureType !== BINARY) return refused('its OpenPGP signature is not one of a file')
  const key = keys.find((candidate) => candidate.getKeys(packet.issuerKeyID).length > 0)
  if (!key) return refused(`no key that is trusted made its OpenPGP signature (key ${packet.issuerKeyID.toHex()})`)
  const message = await createMessage({ binary: payload })
  const date = new Date(now + SKEW)
  const [result] = (await verify({ message, signature: parsed, verificationKeys: [key], date })).signatures
  if (!result) return refused('its OpenPGP signature is not one of a file')
  const why = await failureOf(async () => {
    if (!(await result.verified)) throw new Error('it is not of its content')
    // The date in a signature is its maker's word: a key that has expired signs nothing that comes after it.
    await key.getSigningKey(packet.issuerKeyID, new Date(now))
  })
  return why === undefined ? accepted(nameOf(key)) : refused(`its OpenPGP signature by "${nameOf(key)}" does not hold: ${why}`)
}

async function failureOf(check: () => Promise<void>): Promise<string | undefined> {
  try {
    await check()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function nameOf(key: PublicKey): string {
  return key.getUserIDs()[0] ?? key.getFingerprint()
}

/** All keys of a text with armored ones. @throws {Error} also for a block without an end, which would be left out unseen */
export async function readPgpKeys(text: string): Promise<readonly PublicKey[]> {
  const { readKeys } = await import('openpgp')
  const blocks = text.match(/-----BEGIN PGP PUBLIC KEY BLOCK-----[\s\S]*?-----END PGP PUBLIC KEY BLOCK-----/g) ?? []
  const begun = text.split('-----BEGIN PGP PUBLIC KEY BLOCK-----').length - 1
  if (blocks.length < begun) throw new Error('it has a key without its line "-----END PGP PUBLIC KEY BLOCK-----"')
  const keys = await Promise.all(blocks.map((armoredKeys) => readKeys({ armoredKeys })))
  return keys.flat().map((key) => key.toPublic())
}

/** One key of all copies: a revocation or a later expiry counts, whichever file or block it stands in. */
export async function mergeCopies(keys: readonly PublicKey[]): Promise<readonly PublicKey[]> {
  const merged = new Map<string, PublicKey>()
  for (const key of keys) {
    const before = merged.get(key.getFingerprint())
    merged.set(key.getFingerprint(), before ? await before.update(key) : key)
  }
  return [...merged.values()]
}

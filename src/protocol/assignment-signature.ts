import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import type { DesiredConfig } from './desired-config.ts'
import { canonicalJson, type Json } from './digest.ts'

/**
 * Signatures of assignments: ed25519 over the whole desired-config, but for the signature, and the uid of the Node that it is for. So an
 * assignment counts on one Node alone, and no key of it can be changed or left out.
 */
const PURPOSE = 'nodewave.io/desired-config/v1'
const SIGNATURE = /^ed25519:([0-9a-f]{16}):([A-Za-z0-9+/]{86}==)$/

export interface SigningKey {
  readonly id: string
  readonly key: KeyObject
}

/** A public key that assignments are checked with. */
export type TrustedKey = SigningKey

/** @throws {Error} saying what is wrong with it */
export function readSigningKey(pem: string): SigningKey {
  const key = createPrivateKey(pem)
  return { id: keyId(ed25519(createPublicKey(key))), key }
}

/** @throws {Error} saying what is wrong with it; a private key is refused, too: it has no business on a node */
export function readTrustedKey(pem: string): TrustedKey {
  if (!pem.trimStart().startsWith('-----BEGIN PUBLIC KEY-----')) throw new Error('it is no public key in PEM form')
  const key = ed25519(createPublicKey(pem))
  return { id: keyId(key), key }
}

function ed25519(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType === 'ed25519') return key
  throw new Error(`it is a key of type "${key.asymmetricKeyType}"; expected ed25519`)
}

/** 16 hex digits, by which people and logs tell keys apart. */
function keyId(publicKey: KeyObject): string {
  const bytes = publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16)
}

/** @param node uid of the Node */
export function signAssignment(
  desired: DesiredConfig,
  { node, by }: { readonly node: string; readonly by: SigningKey },
): DesiredConfig {
  const signature = sign(null, signedBytes(desired, node), by.key)
  return { ...desired, SIGNATURE: `ed25519:${by.id}:${signature.toString('base64')}` }
}

/** Which key signed it, by its own word; undefined: none did. */
export function signerOf({ SIGNATURE: text = '' }: Pick<DesiredConfig, 'SIGNATURE'>): string | undefined {
  return SIGNATURE.exec(text)?.[1]
}

export type SignatureProblem = 'SignatureMissing' | 'SignatureInvalid'
export type SignatureVerdict = { readonly counter: number } | { readonly problem: SignatureProblem; readonly message: string }

/**
 * Whether one of the keys signed this text for this Node.
 * @param text the annotation as it stands there, which `parseDesiredConfig` accepts: keys that this version does not know are signed, too
 */
export function checkSignature(
  text: string,
  { node, keys }: { readonly node: string; readonly keys: readonly TrustedKey[] },
): SignatureVerdict {
  const desired = JSON.parse(text) as Readonly<Record<string, unknown>>
  const trusted = keys.map(({ id }) => `"${id}"`).join(', ') || 'none'
  if (desired.SIGNATURE === undefined)
    return { problem: 'SignatureMissing', message: `it has no SIGNATURE, and this host trusts the keys ${trusted} only` }
  const [, id, signature = ''] = SIGNATURE.exec(String(desired.SIGNATURE)) ?? []
  if (id === undefined) return invalid('its SIGNATURE is malformed')
  const found = keys.find((key) => key.id === id)
  if (found === undefined) return invalid(`key "${id}" signed it, and this host trusts ${trusted}`)
  if (Object.values(desired).some((value) => typeof value === 'object'))
    return invalid('it has a value that is neither text nor number')
  const bytes = signedBytes(desired as Readonly<Record<string, Json>>, node)
  if (!verify(null, bytes, found.key, Buffer.from(signature, 'base64')))
    return invalid(`its signature by key "${id}" does not match: it was changed, or is meant for another Node`)
  const { COUNTER } = desired
  if (!Number.isSafeInteger(COUNTER)) return invalid('it has no COUNTER')
  return { counter: COUNTER as number }
}

function invalid(message: string): SignatureVerdict {
  return { problem: 'SignatureInvalid', message }
}

function signedBytes(desired: Readonly<Record<string, Json | undefined>>, node: string): Buffer {
  const { SIGNATURE: _, ...assignment } = desired
  return Buffer.from(canonicalJson({ purpose: PURPOSE, node, assignment }))
}

const YEAR = 366 * 86_400_000

/** Whether a controller may have written it: counters grow with time, and no clock is ahead by more than a year. */
export function isCounterOfOurs(counter: number, now: number): boolean {
  return counter <= now + YEAR
}

/** Controllers that wrote no counters stamped their assignments, and counters are instants, too: a backup of that time is older than all of them. */
export function counterOf({ COUNTER, ASSIGNED = '' }: DesiredConfig): number | undefined {
  const at = Date.parse(ASSIGNED)
  return COUNTER ?? (at > 0 ? at : undefined)
}

/** What is known of the counters of a Node. */
export interface KnownCounters {
  /** Of the assignment that stands there. */
  readonly assigned?: number | undefined
  /** Accepted last, as the status says. Whoever has the node's credential writes that. */
  readonly accepted?: number | undefined
}

/** Every clock that RFC 3339 can write is less ahead. It moves with time, so that a forged counter always leaves room for the next one. */
const FURTHEST = 10_000 * YEAR

/**
 * The counter of the next assignment of a Node: greater than the one before, though clocks differ or go back; and greater than all that was
 * lost, when the cluster was restored from a backup, for it grows with time. Where a clock was ahead, the agent knows what was lost.
 */
export function nextCounter({ assigned = 0, accepted = 0 }: KnownCounters, now: number): number {
  const said = accepted < now + FURTHEST ? accepted : 0
  const known = isCounterOfOurs(assigned, Math.max(now, said)) ? Math.max(assigned, said) : said
  return Math.max(known + 1, now)
}

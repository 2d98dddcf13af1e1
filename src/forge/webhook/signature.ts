import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** By lower-case name, as Node gives them. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

export interface Signed {
  readonly headers: Headers
  /** As it came: forges sign bytes, so it must not be parsed and written again. */
  readonly body: Uint8Array
}

/** How far a signed time may be from ours, in milliseconds. */
const CLOCKS_APART = 5 * 60_000

/**
 * Whether the sender knows one of the secrets. GitHub, Gitea and Forgejo sign the body; GitLab signs id, time and body, or sends its secret
 * as it is. Every comparison takes the same time whatever differs.
 */
export function isSigned({ headers, body }: Signed, { secrets, now }: { secrets: readonly string[]; now: number }): boolean {
  return secrets.some(
    (secret) =>
      isBodySigned(headers, { body, secret }) || isTimedSigned(headers, { body, secret, now }) || isTokenSent(headers, secret),
  )
}

function isBodySigned(headers: Headers, { body, secret }: { body: Uint8Array; secret: string }): boolean {
  const signature = one(headers['x-hub-signature-256'])?.replace(/^sha256=/, '') ?? one(headers['x-gitea-signature'])
  if (signature === undefined || !/^[0-9a-f]{64}$/.test(signature)) return false
  return isEqual(signature, createHmac('sha256', secret).update(body).digest('hex'))
}

/** The scheme of Standard Webhooks, which GitLab uses when its webhook has a signing token. */
function isTimedSigned(headers: Headers, { body, secret, now }: { body: Uint8Array; secret: string; now: number }): boolean {
  const [id, time] = [one(headers['webhook-id']), one(headers['webhook-timestamp'])]
  if (id === undefined || time === undefined || !/^\d{1,12}$/.test(time)) return false
  if (Math.abs(Number(time) * 1000 - now) > CLOCKS_APART) return false
  const signature = createHmac('sha256', keyOf(secret)).update(`${id}.${time}.`).update(body).digest('base64')
  const given = (one(headers['webhook-signature']) ?? '').split(' ').slice(0, 8)
  return given.some((each) => isEqual(each, `v1,${signature}`))
}

function keyOf(secret: string): Uint8Array {
  return secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret)
}

function isTokenSent(headers: Headers, secret: string): boolean {
  const token = one(headers['x-gitlab-token'])
  return token !== undefined && isEqual(token, secret)
}

function isEqual(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}

/** @returns undefined for one that is missing or was sent twice. */
export function one(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined
}

import { foreignText } from '../protocol/foreign-text.ts'
import { retryAfterOf } from '../protocol/retry-after.ts'
import { RemoteError } from './remote-error.ts'

export interface Post {
  /** May hold a secret: no error names it. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Milliseconds. */
const DEADLINE = 10_000
const SHORTEST_WAIT = 1_000
const LONGEST_MESSAGE = 200

/** Answers that lie in what was sent, not in the address, the credential or the server. */
const OF_THE_REQUEST: ReadonlySet<number> = new Set([400, 409, 413, 415, 422])

/** Follows no redirect: what is sent is for this server. @throws {RemoteError} without the body of the answer, which may repeat the URL */
export async function post({ url, headers, body, signal, now }: Post): Promise<void> {
  // The error of fetch would show them.
  if (hasLogin(url)) throw new RemoteError(LOGIN_REFUSED)
  const within = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE)])
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: within }).catch((error) => {
    throw new RemoteError(foreignText(deepest(error).message, LONGEST_MESSAGE))
  })
  await response.body?.cancel()
  if (response.ok) return
  const { status } = response
  const isRedirect = status >= 300 && status < 400
  throw new RemoteError(`HTTP ${status}${isRedirect ? ': redirects are not followed; state the URL that it leads to' : ''}`, {
    retryAfter: retryAfterOf(response.headers.get('retry-after'), now, SHORTEST_WAIT),
    isRefusal: OF_THE_REQUEST.has(status),
  })
}

export const LOGIN_REFUSED = 'a URL with a user name or a password is refused; use a header'

export function hasLogin(url: string): boolean {
  const { username, password } = new URL(url)
  return username + password !== ''
}

/** "fetch failed" says nothing; what it was caused by does. */
function deepest(error: Error): Error {
  return error.cause instanceof Error ? deepest(error.cause) : error
}

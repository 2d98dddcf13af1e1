import type { IncomingMessage } from 'node:http'
import type { Answer } from './page-assets.ts'

/**
 * Pages of other addresses do not get in: neither by a name of theirs that they give the address of this machine, nor by asking this
 * address, from which they could read nothing, but take the places of viewers. Programs that are no browser say nothing of a site.
 */
export function refusalOf({ headers }: Pick<IncomingMessage, 'headers'>, path: string): Answer | undefined {
  if (!/^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(headers.host ?? ''))
    return { status: 403, body: 'expected the host localhost\n' }
  const site = headers['sec-fetch-site'] ?? 'none'
  const isLink = path === '/' && headers['sec-fetch-mode'] === 'navigate'
  if (site !== 'none' && site !== 'same-origin' && !isLink)
    return { status: 403, body: 'expected a request of this page, not of another one\n' }
  return undefined
}

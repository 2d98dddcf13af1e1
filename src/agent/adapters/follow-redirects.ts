import type { IncomingMessage } from 'node:http'
import { http, https } from '../../kube/node-http.ts'
import { type Environment, type StatedProxy, statedProxy } from '../../protocol/stated-proxy.ts'
import { shownUrl } from '../shown-url.ts'
import { judgingLookup, redirectComplaint } from './redirect-target.ts'

const MAX_REDIRECTS = 5
/** Milliseconds without a byte. */
const STALL = 60_000

export interface FollowOptions {
  readonly signal: AbortSignal
  /** Whether the owner of this host lets redirects lead to it, whatever its address. */
  readonly isNamed: (hostname: string) => Promise<boolean>
  /** Of the agent: what proxy it uses. */
  readonly environment: Environment
}

/** Asks for the address, and for those that it is redirected to. @returns the answer that is none, with status 200 */
export async function followRedirects(url: string, { signal, isNamed, environment }: FollowOptions): Promise<IncomingMessage> {
  let address = new URL(url)
  const used: string[] = []
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const isJudged = hop > 0 && !(await isNamed(address.hostname))
    const proxy = statedProxy(address, environment)
    const response = await request(address, {
      signal,
      proxy,
      judge: isJudged ? (found) => redirectComplaint(address.host, found, { used }) : undefined,
    })
    const { statusCode = 0, headers, socket } = response
    if (statusCode === 200) return response
    if (!proxy) used.push(socket.remoteAddress ?? '')
    // What a redirect has to say besides is not read: it need not end.
    response.destroy()
    if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined)
      throw new Error(`download "${shownUrl(url)}"${byProxy(proxy)}: HTTP ${statusCode}`)
    const next = new URL(headers.location, address)
    if (address.protocol === 'https:' && next.protocol !== 'https:')
      throw new Error(`download "${shownUrl(url)}": refuse the redirect from https to "${next.protocol}"`)
    address = next
  }
  throw new Error(`download "${shownUrl(url)}": more than ${MAX_REDIRECTS} redirects`)
}

interface RequestOptions {
  readonly signal: AbortSignal
  /** @returns why no connection to the address is made */
  readonly judge: ((address: string) => string | undefined) | undefined
  readonly proxy: StatedProxy | undefined
}

function request(url: URL, { signal, judge, proxy }: RequestOptions): Promise<IncomingMessage> {
  const { get, Agent } = url.protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    const failed = (cause: Error): void =>
      reject(new Error(`download "${shownUrl(url.href)}"${byProxy(proxy)}: ${cause.message}`, { cause }))
    // A name is judged where it is looked up, which a proxy does itself; an address is none.
    const literal = url.hostname.replace(/^\[|\]$/g, '')
    const complaint = proxy?.complaint ?? (/^[\d.]+$|:/.test(literal) ? judge?.(literal) : undefined)
    if (signal.aborted) return failed(signal.reason)
    if (complaint !== undefined) return failed(new Error(complaint))
    const lookup = judge && !proxy && { lookup: judgingLookup(judge) }
    // Exempt hosts were left out above: what is exempt is said in one place.
    const agent = proxy
      ? new Agent({ timeout: STALL, proxyEnv: { HTTP_PROXY: proxy.address, HTTPS_PROXY: proxy.address } })
      : false
    const sent = get(url, { timeout: STALL, agent, signal, ...lookup }, resolve)
    sent.on('timeout', () => sent.destroy(new Error(`no byte for ${STALL / 1000} s`)))
    sent.on('error', failed)
    // A request that waits for its tunnel does not say that it was aborted.
    signal.addEventListener('abort', () => failed(signal.reason), { once: true })
  })
}

function byProxy(proxy: StatedProxy | undefined): string {
  return proxy ? ` by the proxy of ${proxy.variable}` : ''
}

import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import * as http from 'node:http'
import * as https from 'node:https'
import type { GitHttpRequest, GitHttpResponse } from 'isomorphic-git'
import { retryAfterOf } from '../protocol/retry-after.ts'
import { movedTo } from './explain-failure.ts'
import { authorizationOf, type GitCredentials } from './git-credentials.ts'
import { GitSyncError } from './git-sync-error.ts'
import { createTransport, type Exchange, type GitTransport, type TransportOptions } from './git-transport.ts'
import { checkProxy } from './proxy.ts'
import type { RequestGuard } from './request-guard.ts'

/** Files, as PEM; read for every request. */
export interface ClientCertificate {
  readonly certFile: string
  readonly keyFile: string
}

export interface GitHttpOptions extends TransportOptions {
  readonly credentials?: GitCredentials | undefined
  /** PEM of the authorities to trust instead of the usual ones. */
  readonly caFile?: string | undefined
  /** What the server knows us by. */
  readonly clientCertificate?: ClientCertificate | undefined
}

/**
 * Milliseconds for which a connection is kept, for the requests of one operation. Load balancers close theirs after a minute or so: kept
 * until the next poll, it would now and then be closed just as it is used, which is reported as trouble.
 */
const IDLE = 5_000

export function createGitHttp(url: string, options: GitHttpOptions): GitTransport {
  const secure = url.startsWith('https:')
  checkProxy(url, process.env)
  // The usual HTTPS_PROXY and NO_PROXY apply: forges are often behind one.
  const agent = new (secure ? https : http).Agent({ keepAlive: true, timeout: IDLE, proxyEnv: process.env })
  const exchange: Exchange = {
    async send(asked, guard) {
      const response = await send(asked, { secure, agent, guard, options })
      if (response.statusCode === 401 && options.credentials?.kind === 'app') options.credentials.tokens.forget()
      return { ...answer(response, asked), body: response }
    },
    end: () => undefined,
  }
  return createTransport(options, () => exchange)
}

interface Way {
  readonly secure: boolean
  readonly agent: http.Agent
  readonly guard: RequestGuard
  readonly options: GitHttpOptions
}

async function send(asked: GitHttpRequest, { secure, agent, guard, options }: Way): Promise<http.IncomingMessage> {
  const body = await collect(asked.body)
  const headers: Record<string, string> = { ...asked.headers, 'user-agent': 'git/nodewave' }
  if (options.credentials) headers.authorization = await authorizationOf(options.credentials)
  const tls = await tlsOf(options)
  const request = (secure ? https : http).request(asked.url, {
    method: asked.method ?? 'GET',
    headers,
    agent,
    signal: guard.signal,
    ...tls,
  })
  request.on('error', () => {})
  const response = once(request, 'response')
  request.end(body)
  return (await response)[0]
}

async function collect(body: GitHttpRequest['body']): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body ?? []) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function answer(response: http.IncomingMessage, asked: GitHttpRequest): Omit<GitHttpResponse, 'body'> {
  const { statusCode = 0, statusMessage = '', headers } = response
  if (statusCode === 429 || statusCode === 503 || (statusCode >= 300 && statusCode < 400)) response.destroy()
  if (statusCode >= 300 && statusCode < 400) throw movedTo(headers.location, asked.url)
  if (statusCode === 429 || statusCode === 503) throw busy(statusCode, headers['retry-after'])
  const single = Object.entries(headers).map(([name, value]) => [name, String(value)])
  return { url: asked.url, method: asked.method ?? 'GET', statusCode, statusMessage, headers: Object.fromEntries(single) }
}

function busy(statusCode: number, header: string | undefined): GitSyncError {
  const retryAfter = retryAfterOf(header, Date.now())
  const wants = retryAfter === undefined ? '' : `, and wants to be left alone for ${Math.ceil(retryAfter / 1000)} s`
  const reason = statusCode === 429 ? 'RateLimited' : 'Unreachable'
  return new GitSyncError(`failed to reach the repository: the server answers ${statusCode}${wants}`, { reason, retryAfter })
}

async function tlsOf({ caFile, clientCertificate }: GitHttpOptions): Promise<https.RequestOptions> {
  const ca = caFile && (await readPem(caFile, 'certificates', '--ca-file'))
  if (!clientCertificate) return ca ? { ca } : {}
  const cert = await readPem(clientCertificate.certFile, 'the certificate', '--client-cert-file')
  const key = await readPem(clientCertificate.keyFile, 'the key', '--client-key-file')
  return { ...(ca && { ca }), cert, key }
}

async function readPem(path: string, what: string, option: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (cause) {
    throw new GitSyncError(`failed to read ${what} "${path}" of ${option}`, { reason: 'CredentialsUnreadable', cause })
  }
}

import { execFile, spawn } from 'node:child_process'
import { access } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CgiHeaders } from './cgi-headers.ts'
import { Listener } from './listener.ts'

export interface GitServerOptions {
  /** The folder whose repositories are served: `<root>/fleet.git` is at `<url>/fleet.git`. */
  readonly root: string
  readonly host?: string
  /** The default is a free one. */
  readonly port?: number
  /** Whether it can leave out files of a fetch, as forges can. Default: true. */
  readonly filters?: boolean
  /** Asked of everybody when given; left out, anybody may read and push. */
  readonly password?: { readonly username: string; readonly password: string }
  /** Called for each push that was received, with the path of the repository below the root. */
  readonly onPush?: (repository: string) => void
}

export interface GitServer extends AsyncDisposable {
  readonly url: string
  /** Makes an empty repository below the root. @returns its URL */
  createRepository(name: string): Promise<string>
  /** An outage: connections are cut, new ones as they come. */
  stop(): void
  /** The end of an outage, at the same address. */
  start(): void
}

/**
 * Real Git over smart HTTP: `git http-backend` behind Node's HTTP server. Needs `git` on the PATH; for the demo and
 * for tests, on loopback.
 */
export async function startGitServer(options: GitServerOptions): Promise<GitServer> {
  const run = promisify(execFile)
  const backend = join((await run('git', ['--exec-path'])).stdout.trim(), 'git-http-backend')
  await access(backend)
  const listener = new Listener(
    { host: options.host ?? '127.0.0.1', port: options.port ?? 0, tls: undefined },
    (request, response) => {
      if (isKnown(request, options)) serve({ backend, request, response, options })
      else response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
    },
  )
  await listener.open()
  const { url } = listener
  return {
    url,
    stop: () => listener.goAway(),
    start: () => listener.comeBack(),
    async createRepository(name) {
      const path = join(options.root, name)
      await run('git', ['init', '--quiet', '--bare', '--initial-branch=main', path])
      await run('git', ['-C', path, 'config', 'uploadpack.allowFilter', String(options.filters ?? true)])
      return `${url}/${name}`
    },
    [Symbol.asyncDispose]: () => listener.close(),
  }
}

function isKnown(request: IncomingMessage, { password }: GitServerOptions): boolean {
  if (!password) return true
  const expected = Buffer.from(`${password.username}:${password.password}`).toString('base64')
  return request.headers.authorization === `Basic ${expected}`
}

interface Exchange {
  readonly backend: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly options: GitServerOptions
}

function serve({ backend, request, response, options }: Exchange): void {
  const url = new URL(request.url ?? '/', 'http://server')
  const child = spawn(backend, { env: environment(request, url, options), stdio: ['pipe', 'pipe', 'ignore'] })
  const fail = () => (response.headersSent ? response.destroy() : response.writeHead(500).end())
  const headers = new CgiHeaders()
  child.on('error', fail)
  child.stdin.on('error', () => {})
  child.stdout.on('data', (chunk: Buffer) => {
    const rest = headers.ended ? chunk : headers.take(chunk)
    if (!headers.ended) return
    if (!response.headersSent) response.writeHead(headers.status, headers.fields)
    if (rest.length > 0 && !response.write(rest)) child.stdout.pause()
  })
  response.on('drain', () => child.stdout.resume())
  response.on('close', () => child.kill())
  child.on('close', (code) => {
    if (!headers.ended) return fail()
    response.end()
    const pushed = code === 0 && isPush(request, url)
    if (pushed) options.onPush?.(url.pathname.slice(1, -'/git-receive-pack'.length))
  })
  request.pipe(child.stdin)
}

/** Before a large push, git asks with an empty one (the four bytes `0000`) whether it would be let in. */
function isPush(request: IncomingMessage, url: URL): boolean {
  return request.method === 'POST' && url.pathname.endsWith('/git-receive-pack') && request.headers['content-length'] !== '4'
}

/** What the CGI program needs. Without QUERY_STRING it answers the dumb protocol, without GIT_PROTOCOL version 0, and silently so. */
function environment(request: IncomingMessage, url: URL, options: GitServerOptions): Record<string, string> {
  const { headers } = request
  return {
    PATH: process.env.PATH ?? '',
    GIT_PROJECT_ROOT: options.root,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: decodeURIComponent(url.pathname),
    QUERY_STRING: url.search.slice(1),
    REQUEST_METHOD: request.method ?? 'GET',
    // Without a user, a push is refused.
    REMOTE_USER: options.password?.username ?? 'anybody',
    CONTENT_TYPE: headers['content-type'] ?? '',
    ...(headers['content-length'] && { CONTENT_LENGTH: headers['content-length'] }),
    ...(headers['content-encoding'] && { HTTP_CONTENT_ENCODING: headers['content-encoding'] }),
    ...(headers['git-protocol'] && { GIT_PROTOCOL: String(headers['git-protocol']) }),
  }
}

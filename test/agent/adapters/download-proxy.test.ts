import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createHttpServer, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { httpDownloads } from '../../../src/agent/adapters/http-downloads.ts'
import { makeCertificates } from '../../make-certificates.ts'

/** sha256 of `hello\n` */
const HELLO = '5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03'
let origin: Server
let secureOrigin: ReturnType<typeof createHttpsServer>
let certificates = ''
/** Forwards to `origin`, whatever the name that it is asked for: no name of these tests has an address. */
let proxy: Server
let silent: ReturnType<typeof createServer>
let folder = ''
let asked: (string | undefined)[] = []
let authorization: string | undefined

const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port
const listening = (server: Server | ReturnType<typeof createServer>): Promise<void> =>
  new Promise((resolve) => void server.listen(0, '127.0.0.1', resolve))

beforeAll(async () => {
  origin = createHttpServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://origin')
    if (pathname === '/gone') return response.writeHead(502).end()
    if (pathname.startsWith('/to/')) return response.writeHead(302, { location: `http://${pathname.slice(4)}/hello` }).end()
    return response.end('hello\n')
  })
  proxy = createHttpServer(async (request, response) => {
    asked.push(request.url)
    authorization = request.headers['proxy-authorization']
    const path = new URL(request.url ?? '').pathname
    const answer = await fetch(`http://127.0.0.1:${portOf(origin)}${path}`, { redirect: 'manual' })
    const location = answer.headers.get('location')
    response.writeHead(answer.status, location === null ? {} : { location }).end(await answer.text())
  })
  proxy.on('connect', ({ url }, client: Socket) => {
    asked.push(url)
    if (url === 'refused.example.com:443') return client.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    const server = connect(portOf(secureOrigin), '127.0.0.1', () => client.write('HTTP/1.1 200 OK\r\n\r\n'))
    server.on('error', () => client.destroy()).pipe(client)
    client.on('error', () => server.destroy()).pipe(server)
  })
  silent = createServer((socket) => void socket.on('error', () => {}))
  certificates = mkdtempSync(join(tmpdir(), 'nodewave-proxy-tls-'))
  await makeCertificates(certificates, 'DNS:files.example.com')
  const pem = (name: string): string => readFileSync(join(certificates, name), 'utf8')
  setDefaultCACertificates([...getCACertificates(), pem('ca.crt')])
  secureOrigin = createHttpsServer({ cert: pem('server.crt'), key: pem('server.key') }, (_, response) => response.end('hello\n'))
  await Promise.all([origin, secureOrigin, proxy, silent].map(listening))
})
afterAll(() => {
  for (const server of [origin, secureOrigin, proxy, silent]) server.close()
  rmSync(certificates, { recursive: true })
})
beforeEach(() => {
  asked = []
  authorization = undefined
  folder = mkdtempSync(join(tmpdir(), 'nodewave-proxy-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const proxyAt = (server: { address(): unknown }, login = ''): string => `http://${login}127.0.0.1:${portOf(server)}`
const target = (): string => join(folder, 'kubelet')

function download(url: string, environment: Record<string, string>, deadline = 20_000): Promise<void> {
  return httpDownloads({ environment, deadline }).fetch({ url, sha256: HELLO }, target(), { maxBytes: 1000 })
}

test('a download goes by the proxy of HTTP_PROXY, which looks its name up', async () => {
  await download('http://files.example.com/hello', { HTTP_PROXY: proxyAt(proxy) })
  expect(readFileSync(target(), 'utf8')).toBe('hello\n')
  expect(asked).toEqual(['http://files.example.com/hello'])
})

test('the proxy is told the name and password of its address', async () => {
  await download('http://files.example.com/hello', { http_proxy: proxyAt(proxy, 'agent:s3cret@') })
  expect(authorization).toBe('Basic YWdlbnQ6czNjcmV0')
})

test('a download over https goes through a tunnel of the proxy', async () => {
  await download('https://files.example.com/hello', { HTTPS_PROXY: proxyAt(proxy) })
  expect(readFileSync(target(), 'utf8')).toBe('hello\n')
  expect(asked).toEqual(['files.example.com:443'])
})

test('a server at the end of a tunnel is refused when its certificate is for another name', async () => {
  await expect(download('https://other.example.com/hello', { HTTPS_PROXY: proxyAt(proxy) })).rejects.toThrow(
    'download "https://other.example.com/hello" by the proxy of HTTPS_PROXY: Hostname/IP does not match certificate\'s altnames',
  )
  expect(existsSync(target())).toBe(false)
})

test('a proxy that refuses is named, without its password', async () => {
  const refused = download('https://refused.example.com/hello', { HTTPS_PROXY: proxyAt(proxy, 'agent:s3cret@') })
  const error = await refused.catch((cause: Error) => cause)
  expect(String(error)).toContain('download "https://refused.example.com/hello" by the proxy of HTTPS_PROXY: ')
  expect(String(error)).toContain('403')
  expect(String(error)).not.toContain('s3cret')
})

test("an answer that may be the proxy's own names it", async () => {
  await expect(download('http://files.example.com/gone', { HTTP_PROXY: proxyAt(proxy) })).rejects.toThrow(
    'download "http://files.example.com/gone" by the proxy of HTTP_PROXY: HTTP 502',
  )
})

test('a host of NO_PROXY is asked directly', async () => {
  await download(`http://127.0.0.1:${portOf(origin)}/hello`, { HTTP_PROXY: proxyAt(proxy), NO_PROXY: 'localhost,127.0.0.1' })
  expect(readFileSync(target(), 'utf8')).toBe('hello\n')
  expect(asked).toEqual([])
})

test('a redirect of a name goes by the proxy, too', async () => {
  await download('http://files.example.com/to/mirror.example.com', { HTTP_PROXY: proxyAt(proxy) })
  expect(asked).toEqual(['http://files.example.com/to/mirror.example.com', 'http://mirror.example.com/hello'])
})

test('a redirect to a private address is refused before the proxy hears of it', async () => {
  await expect(download('http://files.example.com/to/127.0.0.1', { HTTP_PROXY: proxyAt(proxy) })).rejects.toThrow(
    'refuse the redirect to "127.0.0.1": its address 127.0.0.1 is a private one',
  )
  expect(asked).toEqual(['http://files.example.com/to/127.0.0.1'])
})

test.each([
  ['ALL_PROXY', { ALL_PROXY: 'http://proxy:3128' }],
  ['HTTP_PROXY', { HTTP_PROXY: 'socks5://proxy:1080' }],
])('a download does not go around the proxy of %s when it cannot be used', async (variable, environment) => {
  await expect(download(`http://127.0.0.1:${portOf(origin)}/hello`, environment)).rejects.toThrow(
    `failed to use the proxy of ${variable} for "127.0.0.1": only HTTP_PROXY with an address that begins with http:// or https:// is supported`,
  )
})

test.each(['http://files.example.com/hello', 'https://files.example.com/hello'])(
  'the download of %s ends by its deadline when the proxy never answers',
  async (url) => {
    const environment = { HTTP_PROXY: proxyAt(silent), HTTPS_PROXY: proxyAt(silent) }
    await expect(download(url, environment, 100)).rejects.toThrow(`download "${url}": not there after 0.1 s`)
    expect(existsSync(target())).toBe(false)
  },
)

test('a download that was called off before it asked the proxy ends at once', async () => {
  const downloads = httpDownloads({ environment: { HTTPS_PROXY: proxyAt(silent) } })
  const signal = AbortSignal.abort(new Error('something else is wanted'))
  const artifact = { url: 'https://files.example.com/hello', sha256: HELLO }

  await expect(downloads.fetch(artifact, target(), { maxBytes: 1000, signal })).rejects.toThrow('something else is wanted')
})

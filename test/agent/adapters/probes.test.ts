import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { afterEach, expect, test } from 'vitest'
import { connects, healthz, showsCertificate } from '../../../src/agent/adapters/probes.ts'
import { healthzUrl } from '../../../src/agent/kubelet/kubelet-flags.ts'

let server: Server | undefined

afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

async function serve(handler: Parameters<typeof createServer>[1]): Promise<string> {
  server = createServer(handler)
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/healthz`
}

test('healthz is ok when a kubelet answers ok', async () => {
  const url = await serve((_, response) => response.end('ok'))

  expect(await healthz(url)).toEqual({ ok: true, detail: '200 ok' })
})

test('healthz tells what a kubelet that is not healthy says', async () => {
  const url = await serve((_, response) => response.writeHead(500).end('[-]syncloop failed'))

  expect(await healthz(url)).toEqual({ ok: false, detail: '500 [-]syncloop failed' })
})

test('healthz is not ok when another program answers on the port', async () => {
  const url = await serve((_, response) => response.end('<html>welcome</html>'))

  expect((await healthz(url)).detail).toBe('200 "<html>welcome</html>", expected "ok": another program answers there')
})

test('healthz ends in time when bytes trickle in without end', async () => {
  const url = await serve((_, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write('o'), 100)
    response.on('close', () => clearInterval(timer))
  })

  expect(await healthz(url)).toEqual({ ok: false, detail: 'no whole answer within 2 s' })
})

test('healthz does not read on when somebody sends more than a kubelet would', async () => {
  const url = await serve((_, response) => response.end('x'.repeat(100_000)))

  expect((await healthz(url)).detail).toContain('more than 10000 bytes')
})

test('healthz of an address that is none is not ok, and no exception', async () => {
  expect((await healthz('http://:10248/healthz')).ok).toBe(false)
})

test('an empty bind address is the default, as it is for the kubelet', () => {
  expect(healthzUrl({ healthzBindAddress: '' }, [])).toBe('http://127.0.0.1:10248/healthz')
  expect(healthzUrl({}, ['--healthz-bind-address='])).toBe('http://127.0.0.1:10248/healthz')
})

test('connects tells whether somebody accepts connections on a socket', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'nodewave-socket-'))
  const path = join(directory, 'containerd.sock')
  const runtime = createSocketServer()
  await new Promise<void>((resolve) => runtime.listen(path, resolve))

  expect((await connects(path)).ok).toBe(true)
  await new Promise<void>((resolve) => runtime.close(() => resolve()))
  expect((await connects(path)).ok).toBe(false)
  await rm(directory, { recursive: true })
})

test('showsCertificate tells a kubelet that has a certificate from one that has none yet, and from nobody', async () => {
  const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../../kube/fixtures', name), 'utf8')
  const [key, cert] = [fixture('server.key'), fixture('server.crt')]
  const listening = async (server: Server) => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return { address: '127.0.0.1', port: (server.address() as AddressInfo).port }
  }
  const served = createTlsServer({ key, cert }) as unknown as Server
  const bare = createTlsServer({}) as unknown as Server
  const [endpoint, without] = [await listening(served), await listening(bare)]

  expect(await showsCertificate(endpoint)).toEqual({ ok: true, detail: 'it shows a certificate' })
  expect((await showsCertificate(without)).detail).toMatch(/^[a-z0-9 /]+alert handshake failure$/)
  served.close()
  bare.close()
  expect((await showsCertificate({ address: '127.0.0.1', port: 1 })).detail).toContain('ECONNREFUSED')
})

test('healthz believes root, and whom no table shows', async () => {
  const url = await serve((_, response) => response.end('ok'))

  for (const uids of [[0], [], [0, process.getuid?.() ?? 0]])
    expect(await healthz(url, async () => uids)).toEqual({ ok: true, detail: '200 ok' })
  expect(await healthz(url, () => Promise.reject(new Error('EACCES')))).toEqual({ ok: true, detail: '200 ok' })
  expect((await healthz(url, async () => [0, 12_345])).ok).toBe(false)
})

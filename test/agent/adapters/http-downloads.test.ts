import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { httpDownloads } from '../../../src/agent/adapters/http-downloads.ts'

/** sha256 of `hello\n` */
const HELLO = '5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03'
/** Several pieces and a rest, of bytes that differ from piece to piece. */
const LARGE = Buffer.from(Array.from({ length: 1_200_000 }, (_, index) => index).join(','))
let server: Server
let base = ''
let folder = ''
let requests = 0
let closed = 0

beforeAll(async () => {
  server = createServer((request, response) => {
    requests++
    if (request.url === '/moved') return response.writeHead(302, { location: '/hello' }).end()
    if (request.url === '/endless') return endless(response.writeHead(302, { location: '/hello' }))
    if (request.url === '/loop') return response.writeHead(302, { location: '/loop' }).end()
    if (request.url?.startsWith('/to/')) return response.writeHead(302, { location: elsewhere(request.url.slice(4)) }).end()
    if (request.url === '/trickle') return trickle(response)
    if (request.url === '/hello') return response.end('hello\n')
    if (request.url === '/large') return response.end(LARGE)
    if (request.url === '/cut') {
      response.writeHead(200, { 'content-length': '100' })
      return response.write('half', () => response.socket?.destroy())
    }
    return response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

const elsewhere = (host: string): string => `http://${host}:${(server.address() as AddressInfo).port}/hello`

function trickle(response: ServerResponse): void {
  response.writeHead(200)
  const timer = setInterval(() => response.write('o'), 20)
  response.on('close', () => clearInterval(timer))
}

function* forEver(): Generator<Buffer> {
  for (;;) yield Buffer.alloc(65_536)
}

/** A body that goes on as long as somebody reads it. */
function endless(response: ServerResponse): void {
  const body = Readable.from(forEver())
  response.on('close', () => {
    closed++
    body.destroy()
  })
  body.pipe(response)
}
beforeEach(() => {
  requests = 0
  folder = mkdtempSync(join(tmpdir(), 'nodewave-download-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const fetch = (path: string, { sha256 = HELLO, maxBytes = 1000 } = {}): Promise<void> =>
  httpDownloads().fetch({ url: `${base}${path}`, sha256 }, join(folder, 'kubelet'), { maxBytes, mode: 0o755 })

test('httpDownloads keeps a file whose checksum is right, executable when asked', async () => {
  await fetch('/moved')
  expect(readFileSync(join(folder, 'kubelet'), 'utf8')).toBe('hello\n')
  expect(statSync(join(folder, 'kubelet')).mode & 0o777).toBe(0o755)
})

test('httpDownloads writes what it hashed, whole and in order, when it is large', async () => {
  const sha256 = createHash('sha256').update(LARGE).digest('hex')
  await fetch('/large', { sha256, maxBytes: LARGE.length })
  expect(readFileSync(join(folder, 'kubelet')).equals(LARGE)).toBe(true)
  await expect(fetch('/large', { sha256: HELLO, maxBytes: LARGE.length - 1 })).rejects.toThrow('more than')
})

test('httpDownloads asks nobody when the file is already there', async () => {
  await fetch('/hello')
  await fetch('/hello')
  expect(requests).toBe(1)
})

test('httpDownloads fetches again when what is there is not what it should be, as after a power cut', async () => {
  writeFileSync(join(folder, 'kubelet'), '')
  await fetch('/hello')
  expect(readFileSync(join(folder, 'kubelet'), 'utf8')).toBe('hello\n')
})

test('httpDownloads leaves nothing behind when the checksum is wrong, and tells nothing of what came', async () => {
  const failed = fetch('/hello', { sha256: '0'.repeat(64) })

  await expect(failed).rejects.toThrow(`download "${base}/hello": what came does not have the sha256 ${'0'.repeat(64)}`)
  await expect(failed).rejects.not.toThrow(HELLO)
  expect(readdirSync(folder)).toEqual([])
})

test('httpDownloads stops at the size limit', async () => {
  await expect(fetch('/hello', { maxBytes: 3 })).rejects.toThrow('more than 3 bytes')
  expect(readdirSync(folder)).toEqual([])
})

test.each([
  ['/none', 'HTTP 404'],
  ['/loop', 'more than 5 redirects'],
  ['/cut', 'aborted'],
])('httpDownloads of %s says %s', async (path, message) => {
  await expect(fetch(path)).rejects.toThrow(message)
  expect(existsSync(join(folder, 'kubelet'))).toBe(false)
})

test.each([
  ['127.0.0.2', '127.0.0.2'],
  // The same, as others write it.
  ['2130706434', '127.0.0.2'],
  ['[::ffff:7f00:2]', '::ffff:7f00:2'],
])('httpDownloads refuses a redirect to the private address %s, and does not connect to it', async (host, address) => {
  await expect(fetch(`/to/${host}`)).rejects.toThrow(`its address ${address} is a private one`)
  expect(requests).toBe(1)
})

test('httpDownloads follows a redirect to a name of the address that it came from', async () => {
  await fetch('/to/localhost')
  expect(readFileSync(join(folder, 'kubelet'), 'utf8')).toBe('hello\n')
})

test('httpDownloads follows a redirect to a private address that the owner of the host names', async () => {
  const asked: string[] = []
  const isNamed = async (hostname: string): Promise<boolean> => {
    asked.push(hostname)
    return true
  }
  const to = join(folder, 'kubelet')
  await httpDownloads({ isNamed }).fetch({ url: `${base}/to/127.0.0.2`, sha256: HELLO }, to, { maxBytes: 1000 })

  expect(asked).toEqual(['127.0.0.2'])
})

test('httpDownloads puts nothing in the place of a link that waits for its partial file', async () => {
  writeFileSync(join(folder, 'victim'), 'untouched')
  symlinkSync('victim', join(folder, 'kubelet.part'))
  await fetch('/hello')

  expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('untouched')
  expect(readdirSync(folder).sort()).toEqual(['kubelet', 'victim'])
})

test('httpDownloads does not read what a redirect says besides', async () => {
  await fetch('/endless')
  await expect.poll(() => closed).toBe(1)
})

test('httpDownloads tells nobody the password and the signature in an address', async () => {
  const url = `${base.replace('//', '//mirror:secret@')}/missing?X-Signature=secret`
  const failed = httpDownloads().fetch({ url, sha256: HELLO }, join(folder, 'kubelet'), { maxBytes: 1000 })

  await expect(failed).rejects.toThrow(`download "${base}/missing?…": HTTP 404`)
})

test('a download that trickles without end is given up in time, and leaves nothing', async () => {
  const { fetch } = httpDownloads({ deadline: 300 })
  const to = join(folder, 'kubelet')

  await expect(fetch({ url: `${base}/trickle`, sha256: HELLO }, to, { maxBytes: 1000 })).rejects.toThrow(
    `download "${base}/trickle": not there after 0.3 s`,
  )
  expect(readdirSync(folder)).toEqual([])
})

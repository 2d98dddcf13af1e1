import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startReceiver } from '../../../src/forge/webhook/receiver.ts'
import type { Listening } from '../../../src/http/listen.ts'
import { withDeadline } from '../../waiting/until.ts'

const SECRET = 'a secret of sixteen'
const PUSH = JSON.stringify({ ref: 'refs/heads/main', repository: { full_name: 'platform/fleet' } })
let receiver: Listening
let pushes: number
let log: string[]
let secrets: string[]

beforeEach(async () => {
  pushes = 0
  log = []
  secrets = [SECRET]
  receiver = await startReceiver({
    ...{ host: '127.0.0.1', port: 0, repository: 'platform/fleet', refs: 'refs/heads/main' },
    secrets: async () => secrets,
    now: () => 0,
    onPush: () => {
      pushes += 1
    },
    log: (level, message) => log.push(`${level} ${message}`),
  })
})

afterEach(() => receiver[Symbol.asyncDispose]())

async function deliver(body: string, { secret = SECRET, path = '/webhook', method = 'POST' } = {}) {
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  const headers = { 'content-type': 'application/json', 'x-github-event': 'push', 'x-hub-signature-256': signature }
  const content = method === 'POST' ? { body } : {}
  const response = await fetch(`http://127.0.0.1:${receiver.port}${path}`, { method, headers, ...content })
  return { status: response.status, says: ((await response.json()) as { message: string }).message }
}

test('a push is answered and passed on; delivered again, it is not', async () => {
  expect(await deliver(PUSH)).toEqual({ status: 202, says: 'the repository is fetched' })
  expect(await deliver(PUSH)).toEqual({ status: 200, says: 'ignored: it was delivered before' })
  expect(pushes).toBe(1)
  expect(log).toEqual(['info webhook: push to "refs/heads/main"; fetching'])
})

test('a secret that is replaced counts from the next delivery on', async () => {
  expect((await deliver(PUSH, { secret: 'the secret after it' })).status).toBe(401)
  secrets = ['the secret after it', SECRET]
  expect((await deliver(PUSH, { secret: 'the secret after it' })).status).toBe(202)
})

test('other paths and methods are refused', async () => {
  expect(await deliver(PUSH, { path: '/' })).toEqual({ status: 404, says: 'expected POST /webhook' })
  expect(await deliver(PUSH, { method: 'GET' })).toEqual({ status: 405, says: 'expected POST /webhook' })
})

test('a body over 4 MiB is refused', async () => {
  expect(await deliver(' '.repeat(4 * 1024 * 1024 + 1))).toEqual({
    status: 413,
    says: 'the body is too large; the next poll finds the push',
  })
})

test('a secret file that cannot be read is an error of the controller, and the log says it', async () => {
  secrets = new Proxy([], {
    get: () => {
      throw new Error('read the secret of the webhook: "/s" is empty')
    },
  })
  expect(await deliver(PUSH)).toEqual({ status: 500, says: 'the delivery could not be judged; see the log of the controller' })
  expect(log).toEqual(['warn webhook: Error: read the secret of the webhook: "/s" is empty'])
})

test('the thirty-first request at once is told when to come again', async () => {
  for (let count = 0; count < 30; count += 1) await deliver(PUSH, { path: '/' })
  const response = await fetch(`http://127.0.0.1:${receiver.port}/webhook`, { method: 'POST', body: PUSH })
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '1'])
})

test('four senders that never end keep a fifth out', async () => {
  const slow = await Promise.all(Array.from({ length: 4 }, beginBody))
  expect((await deliver(PUSH)).status).toBe(503)
  for (const socket of slow) socket.destroy()
})

/** Resolves when the receiver has said that it reads the body. */
async function beginBody(): Promise<Socket> {
  const socket = connect(receiver.port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write('POST /webhook HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 9\r\n\r\n')
  const [answer] = await withDeadline(once(socket, 'data'), { for: 'the receiver to continue', last: () => log })
  expect(String(answer)).toBe('HTTP/1.1 100 Continue\r\n\r\n')
  return socket
}

test('a port that is taken is named with the option', async () => {
  const options = { host: '127.0.0.1', port: receiver.port, repository: 'a/b', refs: 'refs/heads/main' }
  const more = { secrets: async () => [SECRET], now: () => 0, onPush: () => undefined, log: () => undefined }
  await expect(startReceiver({ ...options, ...more })).rejects.toThrow(
    /^listen for webhooks on 127\.0\.0\.1:\d+: .*EADDRINUSE.*; choose another --webhook-address$/,
  )
})

const pem = (name: string) => ({ cert: pemFile(`${name}.crt`), key: pemFile(`${name}.key`) })
const pemFile = (name: string) => readFileSync(join(import.meta.dirname, '../../kube/fixtures', name), 'utf8')
const quiet = { secrets: async () => [SECRET], now: () => 0, onPush: () => undefined, log: () => undefined }
const onTls = { ...quiet, host: '127.0.0.1', port: 0, repository: 'a/b', refs: 'refs/heads/main', tls: pem('server') }

/** Of the certificate that is shown to a connection of now. */
async function subjectAt(port: number): Promise<string> {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { subject } = socket.getPeerCertificate()
  socket.destroy()
  return String(subject.CN)
}

test('a certificate that is replaced is shown to the next connection; what is none changes nothing', async () => {
  await using secure = await startReceiver(onTls)
  const before = await subjectAt(secure.port)
  expect(() => secure.useCertificate({ ...pem('client-a'), key: pem('server').key })).toThrow()
  expect(() => secure.useCertificate({ cert: 'torn', key: '' })).toThrow()
  expect(await subjectAt(secure.port)).toBe(before)
  secure.useCertificate(pem('client-a'))
  expect(await subjectAt(secure.port)).not.toBe(before)
})

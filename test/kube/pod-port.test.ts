import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { connectToPod } from '../../src/kube/pod-port.ts'

const PLACE = { namespace: 'nodewave-system', pod: 'p', port: 8081 }

/** An API server that answers requests for the port of a pod. @returns how to reach it, and what it was asked for */
async function aServer(answer: (socket: Duplex, key: string) => void) {
  const asked: string[] = []
  const server = createServer().on('upgrade', ({ url = '', headers }, socket) => {
    asked.push(`${url} ${headers.authorization}`)
    answer(socket, headers['sec-websocket-key'] ?? '')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { connection: { server: `http://127.0.0.1:${port}`, credentials: async () => ({ token: 't' }) }, asked }
}

/** Channel 0 carries data, channel 1 errors; each begins with the port. */
function accepted(socket: Duplex, key: string): void {
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-protocol: v4.channel.k8s.io\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
  )
  for (const channel of [0, 1]) send(socket, [channel, 8081 & 255, 8081 >> 8])
}

function send(socket: Duplex, bytes: readonly number[]): void {
  socket.write(Buffer.from([0x82, bytes.length, ...bytes]))
}

/** The payload of a short frame of a client, which is masked. */
function payloadOf(frame: Buffer): Buffer {
  const mask = frame.subarray(2, 6)
  return Buffer.from(frame.subarray(6).map((byte, index) => byte ^ (mask[index % 4] ?? 0)))
}

test('the port of a pod is reached through the API server, as the user of the kubeconfig', async () => {
  const { connection, asked } = await aServer((socket, key) => {
    accepted(socket, key)
    socket.once('data', (frame) => send(socket, [0, ...Buffer.from(`got ${payloadOf(frame).subarray(1)}`)]))
  })
  const socket = await connectToPod(connection, PLACE)
  socket.write('ping')
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toBe('got ping')
  expect(asked).toEqual(['/api/v1/namespaces/nodewave-system/pods/p/portforward?ports=8081 Bearer t'])
  socket.destroy()
})

test('a port on which nothing listens is named, with what the kubelet says', async () => {
  const { connection } = await aServer((socket, key) => {
    accepted(socket, key)
    socket.once('data', () => send(socket, [1, ...Buffer.from('connection refused\n')]))
  })
  const socket = await connectToPod(connection, PLACE)
  socket.write('ping')
  const [error] = await once(socket, 'error')
  expect(error.message).toBe('failed to reach port 8081 of pod "p": connection refused')
})

test('a failure that comes before anybody uses the connection ends it, and no process', async () => {
  const { connection } = await aServer((socket, key) => {
    accepted(socket, key)
    send(socket, [1, ...Buffer.from('connection refused\n')])
  })
  const socket = await connectToPod(connection, PLACE)
  if (!socket.closed) await once(socket, 'close').catch(() => undefined)
  expect(socket.destroyed).toBe(true)
})

test('a refusal of the API server is named', async () => {
  const { connection } = await aServer((socket) => socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n'))
  await expect(connectToPod(connection, PLACE)).rejects.toThrow(
    'failed to forward a port to pod "p" in namespace "nodewave-system": Unexpected server response: 403',
  )
})

test('all of a long answer arrives through pauses of a slow reader, and the API server waits meanwhile', async () => {
  const PIECES = 1_000
  const frame = Buffer.concat([Buffer.from([0x82, 126, 0x80, 0x01, 0]), Buffer.alloc(32 * 1024, 'x')])
  let waited = 0
  const { connection } = await aServer(async (socket, key) => {
    accepted(socket, key)
    for (let sent = 0; sent < PIECES; sent++)
      if (!socket.write(frame)) {
        waited++
        await once(socket, 'drain')
      }
  })
  const socket = await connectToPod(connection, PLACE)
  let read = 0
  for await (const bytes of socket) {
    read += bytes.length
    if (read === PIECES * 32 * 1024) break
  }
  expect(read).toBe(PIECES * 32 * 1024)
  expect(waited).toBeGreaterThan(0)
})

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { listenersOn, parseSockets } from '../../../src/agent/adapters/proc-listeners.ts'

const HEADINGS = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n'

test.each(['127.0.0.1', '::1', '::'])('listenersOn names the process that listens on %s', async (address) => {
  const server = createServer().listen(0, address)
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const name = readFileSync('/proc/self/comm', 'utf8').trim()
    expect(await listenersOn([port], '/proc')).toEqual([{ address, port, process: { pid: process.pid, name } }])
  } finally {
    server.close()
  }
})

test('parseSockets leaves out connections', () => {
  const rows = [
    '   0: 0100007F:2808 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 9347206 1 0 100 0 0 10 0',
    '   1: 0100007F:2808 0100007F:B2C4 01 00000000:00000000 00:00000000 00000000     0        0 9347299 1 0 20 4 30 10 -1',
  ]
  expect(parseSockets(`${HEADINGS}${rows.join('\n')}\n`)).toEqual([
    { address: '127.0.0.1', port: 10248, inode: '9347206', uid: 0 },
  ])
})

test('parseSockets takes an IPv4 address that is written as one of IPv6', () => {
  const row =
    '   0: 0000000000000000FFFF00000100007F:280A 00000000000000000000000000000000:0000 0A 0:0 00:0 0 0 0 77 1 0 100 0 0 10 0'
  expect(parseSockets(`${HEADINGS}${row}\n`)).toEqual([{ address: '127.0.0.1', port: 10250, inode: '77', uid: 0 }])
})

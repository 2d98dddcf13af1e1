import { expect, test } from 'vitest'
import { startApiServer } from '../../../src/sim/apiserver/start-api-server.ts'

test.for(['0.0.0.0', '::', '192.0.2.1', '', '127.0.0.1.example.com'])(
  'the embedded API server refuses to listen on "%s", and says that it authorizes nothing',
  async (host) => {
    await expect(startApiServer({ host })).rejects.toThrow(
      `refuse to listen on "${host}": the embedded API server authorizes nothing; use a loopback address`,
    )
  },
)

test('the embedded API server listens on 127.0.0.1 unless told otherwise', async () => {
  const server = await startApiServer()
  expect(new URL(server.url).hostname).toBe('127.0.0.1')
  await server.close()
})

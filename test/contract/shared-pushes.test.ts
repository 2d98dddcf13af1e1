import { expect, test } from 'vitest'
import { SharedPushes } from '../../src/controller/webhook/shared-pushes.ts'
import { createKubeClient } from '../../src/kube/kube-client.ts'
import { until } from '../waiting/until.ts'
import { contractServer } from './server.ts'

const namespace = 'nodewave-system'
const server = await contractServer()

/** No two of them at the same time: a Lease that is written as it is changes nothing, and nobody is told. */
let time = Date.parse('2026-01-01T00:00:00Z')

/** A controller that counts the pushes it hears of. */
function aController(signal: AbortSignal) {
  const heard = { count: 0, wake: (): void => undefined, log: [] as string[] }
  const pushes = new SharedPushes({
    ...{ kube: createKubeClient(server.connection), namespace, signal },
    now: () => time++,
    log: (level, message) => heard.log.push(`${level} ${message}`),
    onPush: () => {
      heard.count += 1
      heard.wake()
    },
  })
  const following = pushes.follow()
  return { pushes, heard, following }
}

test('a push that one controller received is heard by all of them, also when two announce at once', async () => {
  await server.send('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } })
  const ending = new AbortController()
  const [a, b] = [aController(ending.signal), aController(ending.signal)]
  const counts = async function* () {
    for (;;) {
      yield b.heard.count
      await new Promise<void>((resolve) => {
        b.heard.wake = resolve
      })
    }
  }
  const atLeast = (count: number) =>
    until(counts, { for: `the other controller to hear of ${count} pushes`, wanted: (heard) => heard >= count })
  await atLeast(1) // what is there at the start
  await a.pushes.announce()
  await atLeast(2)
  await Promise.all([a.pushes.announce(), b.pushes.announce()])
  await atLeast(4)
  ending.abort()
  await Promise.all([a.following, b.following])
  expect([a.heard.log, b.heard.log]).toEqual([[], []])
})

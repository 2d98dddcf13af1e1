import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { passingTo } from '../../src/kube/flow.ts'

const PIECE = Buffer.alloc(1024, 'x')

/** What is sent until it is told to wait; at most so many pieces. */
function sendUntilPaused(most: number) {
  const target = new PassThrough({ highWaterMark: 16 * 1024 })
  const told: string[] = []
  const passing = passingTo(target, () => ({ pause: () => told.push('pause'), resume: () => told.push('resume') }))
  let sent = 0
  for (; sent < most && told.length === 0; sent++) passing.write(PIECE)
  return { target, told, passing, sent }
}

test('passingTo has the sender wait when nobody reads', () => {
  const { told, sent } = sendUntilPaused(1_000)
  expect(told).toEqual(['pause'])
  expect(sent).toBeLessThan(40)
})

test('passingTo has the sender go on when somebody reads again, and loses nothing', async () => {
  const { target, told, passing, sent } = sendUntilPaused(1_000)
  const read = buffer(target)
  await once(target, 'drain')
  passing.end(PIECE, () => target.end())

  expect((await read).length).toBe((sent + 1) * 1024)
  expect(told).toEqual(['pause', 'resume'])
})

test('passingTo waits for the reader also while there is no sender to be told', async () => {
  const target = new PassThrough({ highWaterMark: 1024 })
  const passing = passingTo(target, () => undefined)
  passing.write(PIECE)
  passing.end(PIECE, () => target.end())

  expect((await buffer(target)).length).toBe(2048)
})

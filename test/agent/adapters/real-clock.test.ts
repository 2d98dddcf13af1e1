import { expect, test } from 'vitest'
import { realClock } from '../../../src/agent/adapters/real-clock.ts'

test('realClock ends a sleep at once when its signal aborts, without throwing', async () => {
  const abort = new AbortController()
  const sleeping = realClock.sleep(3_600_000, abort.signal)
  abort.abort()
  expect(await sleeping).toBeUndefined()
  expect(await realClock.sleep(3_600_000, abort.signal)).toBeUndefined()
})

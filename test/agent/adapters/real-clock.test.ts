import { expect, onTestFinished, test } from 'vitest'
import { realClock } from '../../../src/agent/adapters/real-clock.ts'

test('realClock ends a sleep at once when its signal aborts, without throwing', async () => {
  const abort = new AbortController()
  const sleeping = realClock.sleep(3_600_000, abort.signal)
  abort.abort()
  expect(await sleeping).toBeUndefined()
  expect(await realClock.sleep(3_600_000, abort.signal)).toBeUndefined()
})

test('realClock ends a sleep at once whose end is over, without a warning of Node', async () => {
  const warned: string[] = []
  const note = ({ name }: Error): void => void warned.push(name)
  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))
  await realClock.sleep(-0.001)
  // Warnings are emitted in the turn after.
  await new Promise(setImmediate)
  expect(warned).toEqual([])
})

import { expect, test } from 'vitest'
import { until, withDeadline } from './until.ts'

async function* values(signal: AbortSignal): AsyncIterable<number> {
  for (let value = 1; value <= 3; value++) yield value
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
}

async function* few(): AsyncIterable<number> {
  yield 7
}

test('until returns the first value that is wanted', async () => {
  expect(await until(values, { for: 'a two', wanted: (value) => value === 2 })).toBe(2)
})

test('until names what it waits for and the last value when the deadline passes', async () => {
  const late = until(values, { for: 'a nine', wanted: (value) => value === 9, patience: 1 })
  await expect(late).rejects.toThrow('wait for a nine: not within 0.001 s; last seen: 3')
})

test('until names the last value when no more values come', async () => {
  await expect(until(few, { for: 'a nine', wanted: () => false })).rejects.toThrow(
    'wait for a nine: there is nothing more to come; last seen: 7',
  )
})

test('until ends what it follows when it has found the value', async () => {
  let signal: AbortSignal | undefined
  const open = (given: AbortSignal): AsyncIterable<number> => {
    signal = given
    return values(given)
  }
  await until(open, { for: 'a one', wanted: () => true })
  expect(signal?.aborted).toBe(true)
})

test('withDeadline prints what was seen last when the work does not end', async () => {
  const never = new Promise(() => undefined)
  await expect(withDeadline(never, { for: 'the end', last: () => ({ step: 2 }), patience: 1 })).rejects.toThrow(
    'wait for the end: not within 0.001 s; last seen: { step: 2 }',
  )
})

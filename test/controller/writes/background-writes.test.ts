import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { BackgroundWrites } from '../../../src/controller/writes/background-writes.ts'
import { poolKey, WriteFailures } from '../../../src/controller/writes/write-failures.ts'

const [A, B] = [poolKey('a'), poolKey('b')]

/** Notes what is done, in order. Each write ends when the test says how. */
function someWrites() {
  const [did, ends]: [string[], PromiseWithResolvers<{ readonly isDone: boolean }>[]] = [[], []]
  const state = { now: 0 }
  const failures = new WriteFailures()
  const writes = new BackgroundWrites({
    failures,
    now: () => state.now,
    failed: (object, error) => {
      failures.failed(object, { error, now: state.now })
      did.push(`failed ${object}`)
    },
    changed: () => did.push('changed'),
  })
  const begin = (object: typeof A) =>
    writes.begin(object, () => {
      did.push(`begin ${object}`)
      const end = Promise.withResolvers<{ readonly isDone: boolean }>()
      ends.push(end)
      return end.promise
    })
  const since = async () => {
    await turn()
    return did.splice(0)
  }
  return { writes, begin, ends, since, state }
}

test('a write of an object waits for none of another one, and is not begun beside itself', async () => {
  const { begin, ends, since } = someWrites()
  for (const object of [A, B, A]) begin(object)
  expect(await since()).toEqual(['begin pool a', 'begin pool b'])
  ends[0]?.resolve({ isDone: true })
  expect(await since()).toEqual([])
  begin(A)
  expect(await since()).toEqual(['begin pool a'])
})

test('a write that leaves more to do asks for another pass', async () => {
  const { begin, ends, since, writes } = someWrites()
  begin(A)
  ends[0]?.resolve({ isDone: false })
  await writes.end()
  expect(await since()).toEqual(['begin pool a', 'changed'])
})

test('a write that failed is not begun again before its time', async () => {
  const { begin, ends, since, state } = someWrites()
  begin(A)
  ends[0]?.reject(new Error('no'))
  expect(await since()).toEqual(['begin pool a', 'failed pool a'])
  state.now = 249
  begin(A)
  expect(await since()).toEqual([])
  state.now = 250
  begin(A)
  expect(await since()).toEqual(['begin pool a'])
})

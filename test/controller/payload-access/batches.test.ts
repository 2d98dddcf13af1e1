import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Batches } from '../../../src/controller/payload-access/batches.ts'

/** Notes what is written; each write ends when the test says so. */
function someBatches() {
  const written: string[] = []
  const ends: PromiseWithResolvers<void>[] = []
  const batches = new Batches<string>((key, items) => {
    written.push(`${key}: ${[...items].join(' ')}`)
    const end = Promise.withResolvers<void>()
    ends.push(end)
    return end.promise
  })
  return { batches, written, ends }
}

test('what is added while a write is under way is written together, when that has ended', async () => {
  const { batches, written, ends } = someBatches()
  const first = batches.add('p', ['a'])
  await turn()
  const rest = [batches.add('p', ['b']), batches.add('p', ['c', 'b'])]
  await turn()
  expect(written).toEqual(['p: a'])
  ends[0]?.resolve()
  await first
  await turn()
  expect(written).toEqual(['p: a', 'p: b c'])
  ends[1]?.resolve()
  await Promise.all(rest)
})

test('what is added while the second write is under way waits for that one', async () => {
  const { batches, written, ends } = someBatches()
  void batches.add('p', ['a'])
  await turn()
  void batches.add('p', ['b'])
  ends[0]?.resolve()
  await turn()
  void batches.add('p', ['c'])
  await turn()
  expect(written).toEqual(['p: a', 'p: b'])
  ends[1]?.resolve()
  await turn()
  expect(written).toEqual(['p: a', 'p: b', 'p: c'])
})

test('writes of two keys are under way side by side', async () => {
  const { batches, written } = someBatches()
  void batches.add('p', ['a'])
  void batches.add('q', ['a'])
  await turn()
  expect(written).toEqual(['p: a', 'q: a'])
})

test('a write that fails fails for those that wait for it, and not for those that come later', async () => {
  const { batches, written, ends } = someBatches()
  const first = batches.add('p', ['a'])
  await turn()
  const second = batches.add('p', ['b'])
  ends[0]?.reject(new Error('no'))
  await expect(first).rejects.toThrow('no')
  await turn()
  ends[1]?.resolve()
  await second
  expect(written).toEqual(['p: a', 'p: b'])
})

import { expect, test } from 'vitest'
import { inSlices } from '../../../src/controller/plans/in-slices.ts'

/** Each item costs `cost` milliseconds; `|` is where other work has its turn. */
async function course(items: readonly string[], cost: number): Promise<string> {
  let [now, done] = [0, '']
  const turns = {
    elapsed: () => now,
    giveWay: async () => {
      done += '|'
      now += 100
    },
  }
  const work = (item: string) => {
    done += item
    now += cost
  }
  await inSlices(items, work, turns)
  return done
}

test('work on many items gives way to other work after each 10 milliseconds', async () => {
  expect(await course(['a', 'b', 'c', 'd', 'e', 'f', 'g'], 4)).toBe('abc|def|g')
  expect(await course(['a', 'b', 'c', 'd', 'e'], 5)).toBe('ab|cd|e')
})

test('work on items that each cost more than a slice gives way between any two', async () => {
  expect(await course(['a', 'b', 'c'], 30)).toBe('a|b|c')
})

test('work that fits into a slice gives way to nobody', async () => {
  expect(await course(['a', 'b', 'c'], 3)).toBe('abc')
})

import { expect, test } from 'vitest'
import { barText } from '../../src/cli/progress-bar.ts'

test.each([
  [{ done: 0, total: 40, elapsed: 5_000 }, '[....................] 0 of 40'],
  [{ done: 10, total: 40, elapsed: 30_000 }, '[#####...............] 10 of 40, about 1m30s left'],
  [{ done: 39, total: 40, elapsed: 39_000 }, '[###################.] 39 of 40, about 1s left'],
  [{ done: 40, total: 40, elapsed: 40_000 }, '[####################] 40 of 40'],
  [{ done: 0, total: 0, elapsed: 1_000 }, '[####################] 0 of 0'],
])('a bar of %j says how far it is, and how long the rest takes', (measured, text) => {
  expect(barText(measured)).toBe(text)
})

import { expect, test } from 'vitest'
import { EventLimit } from '../../../src/controller/events/event-limit.ts'

const NOON = Date.UTC(2026, 10, 21, 12)
const WINDOW = 600_000

/** Ten events of the node, of which the first was told at this instant, and the others a second later. */
function full(first = NOON): EventLimit {
  const limit = new EventLimit()
  limit.take('n0', first)
  for (let index = 0; index < 9; index += 1) limit.take('n0', first + 1000)
  return limit
}

test('a node has ten events within ten minutes; that more are left out is said once', () => {
  const limit = new EventLimit()
  const answers = Array.from({ length: 13 }, (_, index) => limit.take('n0', NOON + index))

  expect(answers.slice(0, 10)).toEqual(Array(10).fill('Told'))
  expect(answers.slice(10)).toEqual(['LeftOutFirst', 'LeftOut', 'LeftOut'])
  expect(limit.take('n1', NOON + 12)).toBe('Told')
})

test.each([
  ['before ten minutes have passed since the first', NOON + WINDOW - 1, 'LeftOutFirst'],
  ['ten minutes after the first', NOON + WINDOW, 'Told'],
  ['after the clock was put back', NOON - 1, 'Told'],
])('an eleventh event %s is: %s', (_, now, answer) => {
  expect(full().take('n0', now)).toBe(answer)
})

test('that events are left out is said again when some were told in between', () => {
  const limit = full()
  const later = NOON + WINDOW
  expect(['n0', 'n0', 'n0'].map((node) => limit.take(node, later))).toEqual(['Told', 'LeftOutFirst', 'LeftOut'])
  expect(limit.take('n0', later + 2000)).toBe('Told')
})

test.each([
  ['is kept while one of its events is recent', NOON + WINDOW + 999, ['Told', 'LeftOutFirst']],
  ['is forgotten when none is', NOON + WINDOW + 1000, ['Told', 'Told']],
])('what a node was told %s', (_, tidied, answers) => {
  const limit = full()
  limit.tidy(tidied)
  expect([limit.take('n0', NOON + WINDOW), limit.take('n0', NOON + WINDOW)]).toEqual(answers)
})

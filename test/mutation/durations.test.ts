import { expect, test } from 'vitest'
import { durationsIn } from './durations.ts'

test('durationsIn reads how long test files took from what vitest keeps', () => {
  const text = '{"version":1,"projects":{"":{"files":{"test/a.test.ts":{"failed":false,"duration":12.5,"lastRun":1}}}}}'
  expect(durationsIn(text)).toEqual([['test/a.test.ts', 12.5]])
})

test('durationsIn knows nothing where another version of vitest has written', () => {
  expect(durationsIn('{"version":2,"results":[]}')).toEqual([])
})

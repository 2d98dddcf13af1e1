import { expect, test } from 'vitest'
import { formatCordonMark, parseCordonMark } from '../../src/protocol/cordon-mark.ts'

const digest = `v1:${'a'.repeat(64)}`
const at = Date.UTC(2026, 10, 21, 8)

test('a mark says what for, since when, and whose cordon it is', () => {
  expect(formatCordonMark({ digest, at, state: 'Ours' })).toBe(`${digest}@2026-11-21T08:00:00.000Z`)
  expect(formatCordonMark({ digest, at, state: 'Released' })).toBe(`${digest}@2026-11-21T08:00:00.000Z released`)
  expect(formatCordonMark({ digest, at, state: 'Ours', givenUp: 'v1:77' })).toBe(`${digest}@2026-11-21T08:00:00.000Z after v1:77`)
})

test.each(['Ours', 'Found', 'Skipped', 'Released'] as const)('a mark of state %s is read as it was written', (state) => {
  expect(parseCordonMark(formatCordonMark({ digest, at, state }))).toEqual({ digest, at, state })
})

test.each(['Ours', 'Released'] as const)('a mark of state %s remembers a drain that was given up before', (state) => {
  const mark = { digest, at, state, givenUp: `v1:${'b'.repeat(64)}` }

  expect(parseCordonMark(formatCordonMark(mark))).toEqual(mark)
})

test.each([
  undefined,
  '',
  digest,
  `${digest}@`,
  `${digest}@yesterday`,
  `${digest}@2026-11-21`,
  `${digest}@2026-11-21T08:00:00Z mine`,
  `${digest}@2026-11-21T08:00:00Z after sha256:1`,
  `sha256:1@2026-11-21T08:00:00Z`,
  `${digest}@2026-11-21T08:00:00Z ${'x'.repeat(300)}`,
])('what the controller did not write is no mark: %j', (text) => {
  expect(parseCordonMark(text)).toBeUndefined()
})

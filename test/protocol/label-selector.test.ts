import { expect, test } from 'vitest'
import { type LabelOperator, type LabelSelector, selects } from '../../src/protocol/node-selector.ts'

const labels = { app: 'cart', tier: 'web' }
const by = (key: string, operator: LabelOperator, ...values: string[]): LabelSelector => ({
  matchExpressions: [{ key, operator, values }],
})

test('a selector of nothing chooses all, and none at all chooses nothing', () => {
  expect(selects({}, labels)).toBe(true)
  expect(selects(undefined, labels)).toBe(false)
})

test('a selector by labels wants all of them', () => {
  expect(selects({ matchLabels: { app: 'cart', tier: 'web' } }, labels)).toBe(true)
  expect(selects({ matchLabels: { app: 'cart', tier: 'db' } }, labels)).toBe(false)
})

test.each<[LabelSelector, boolean]>([
  [by('app', 'In', 'cart', 'shop'), true],
  [by('app', 'In', 'shop'), false],
  [by('gone', 'In', 'x'), false],
  [by('app', 'NotIn', 'shop'), true],
  [by('gone', 'NotIn', 'x'), true],
  [by('app', 'NotIn', 'cart'), false],
  [by('app', 'Exists'), true],
  [by('gone', 'Exists'), false],
  [by('gone', 'DoesNotExist'), true],
  [by('app', 'DoesNotExist'), false],
  [by('app', 'Anything' as LabelOperator, 'cart'), false],
])('a selector by expressions: %j is %s', (selector, expected) => {
  expect(selects(selector, labels)).toBe(expected)
})

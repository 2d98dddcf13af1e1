import fc from 'fast-check'
import { expect, test } from 'vitest'
import { evaluate } from '../../../src/repo/expressions/expression.ts'
import { isExpression, parseExpression } from '../../../src/repo/expressions/parse-expression.ts'

const FACTS: Readonly<Record<string, number>> = { 'node.cpu': 4, 'node.memory': 16 * 2 ** 30, 'example.com/pods': 30 }

function numberFor(text: string): number | undefined {
  return evaluate(parseExpression(text), (fact) =>
    fact.kind === 'fact' ? FACTS[fact.name] : fact.kind === 'label' ? FACTS[fact.key] : undefined,
  )
}

test.each<[string, number]>([
  ['1 + 2 * 3', 7],
  ['(1 + 2) * 3', 9],
  ['10 - 2 - 3', 5],
  ['24 / 4 / 2', 3],
  ['-node.cpu + 10', 6],
  ['2 * -3', -6],
  ['0.5*node.cpu', 2],
  ['node.memory / 1Gi', 16],
  ['512Mi / 1Ki', 524288],
  ['min(110, node.cpu * 30, 200)', 110],
  ['max(1, node.cpu - 3.5)', 1],
  ['floor(node.cpu / 3)', 1],
  ['node.labels["example.com/pods"] + 1', 31],
])('the expression %s is %d on a node of 4 CPUs and 16Gi', (text, value) => {
  expect(numberFor(text)).toBe(value)
})

test('an expression with a label that is not there has no value', () => {
  expect(numberFor('1 + node.labels["none"]')).toBeUndefined()
})

test.each<[string, string]>([
  ['', 'it ends too early'],
  ['1 +', 'it ends too early'],
  ['1 2', '"2" is not expected there'],
  ['(1', 'expected ")" at its end'],
  ['1)', '")" is not expected there'],
  ['flor(1)', '"flor" is unknown; did you mean "floor"?'],
  ['node.disk', '"node.disk" is unknown; known: min, max, floor, node.cpu, node.memory'],
  ['min(1)', '"min" takes two numbers or more'],
  ['floor(1, 2)', '"floor" takes one number'],
  ['node.labels.pods + 1', 'in arithmetic a label is written as node.labels["key"]'],
  ['node.labels["a b"]', '"a b" is not the key of a label'],
  ['1 % 2', '"% 2" cannot be read'],
  ['1e9', '"1e9" cannot be read'],
  ['constructor(1)', '"constructor" is unknown; known: min, max, floor, node.cpu, node.memory'],
  ['1'.repeat(1001), 'it is longer than 1000 characters'],
])('the text %s is no expression', (text, message) => {
  expect(() => parseExpression(text)).toThrow(message)
  expect(isExpression(text)).toBe(false)
})

test('every text is an expression or not, and an expression has a number or none', () => {
  const words = fc.constantFrom(
    '1',
    '4Gi',
    '+',
    '-',
    '*',
    '/',
    '(',
    ')',
    ',',
    'min',
    'floor',
    'node.cpu',
    'node.labels["x"]',
    ' ',
    '.',
  )
  fc.assert(
    fc.property(fc.array(words, { maxLength: 30 }), (parts) => {
      const text = parts.join('')
      if (isExpression(text)) expect(['number', 'undefined']).toContain(typeof numberFor(text))
    }),
  )
})

import { expect, test } from 'vitest'
import { mutantsOf } from './mutants.ts'

const changes = (source: string): string[] => mutantsOf(source).map(({ text }) => text)

test.each([
  ['a === b', 'a !== b'],
  ['a && b', 'a || b'],
  ['a < b', 'a <= b'],
  ['a + b', 'a - b'],
  ['Math.min(a, b)', 'Math.max(a, b)'],
  ['list.some(isBad)', 'list.every(isBad)'],
  ['return !ready', 'return ready'],
  ['isOpen(true)', 'isOpen(false)'],
])('%s is changed to %s', (source, mutant) => {
  expect(changes(source)).toEqual([mutant])
})

test('texts, comments and types are not changed', () => {
  const source = [
    '// a && b',
    '/* a < b */',
    "const text = 'a || b'",
    'const other = `a + b`',
    'readonly kind: Map<string, true>',
    "type A = 'x' | 'y'",
  ]
  expect(changes(source.join('\n'))).toEqual([])
})

test('a mutant tells its line', () => {
  expect(mutantsOf('const a = 1\nconst b = a > 1\n')).toMatchObject([{ line: 2, from: '>', to: '>=' }])
})

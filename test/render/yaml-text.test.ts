import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { yamlText } from '../../src/render/yaml-text.ts'

test('yamlText lays out maps and lists in blocks with sorted keys', () => {
  const value = { b: { d: [1, { y: 'z', x: [] }, ['p', 'q']], c: {} }, a: null, e: true }
  expect(yamlText(value)).toBe(`a: null
b:
  c: {}
  d:
    - 1
    - x: []
      "y": z
    - - p
      - q
e: true
`)
})

test.each([
  ['yes', '"yes"'],
  ['1.30', '"1.30"'],
  ['0o17', '"0o17"'],
  ['12:30:45', '"12:30:45"'],
  ['~', '"~"'],
  ['a: b', '"a: b"'],
  ['- a', '"- a"'],
  ['', '""'],
  ['a\nb', '"a\\nb"'],
  ['a\u0085b\ufeff', '"a\\u0085b\\ufeff"'],
  ['/etc/resolv.conf', '/etc/resolv.conf'],
  ['systemd', 'systemd'],
])('yamlText writes the string %j as %s', (value, text) => {
  expect(yamlText({ key: value })).toBe(`key: ${text}\n`)
})

const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('no', 'y', '0x1F', '1_000', '.inf', '=', '<<', '2001-01-01', '- x', '# x', '|', '{a}'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      fc.string({ unit: 'binary', minLength: 1 }).filter((key) => key !== '__proto__'),
      tie('value'),
      { maxKeys: 4 },
    ),
  ),
})).value

test.each(['1.1', '1.2'] as const)('yamlText reads back as what was written in YAML %s', (version) => {
  fc.assert(
    fc.property(json, (value) => {
      expect(parse(yamlText({ value: value as never }), { version })).toEqual({ value })
    }),
    { numRuns: 1000 },
  )
})

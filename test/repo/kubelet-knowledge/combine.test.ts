import { expect, test } from 'vitest'
import { combine, type Knowledge } from '../../../scripts/kubelet-knowledge/combine.ts'

const none: Knowledge = { types: {}, flags: {}, gates: {} }

test('combine gives each fact the minors in which it held, and a row of its own when it came back', () => {
  const known = new Map([
    ['1.31.14', { ...none, flags: { a: { type: 'bool' }, b: { type: 'int32' } }, gates: { G: 'ALPHA' } }],
    ['1.32.13', { ...none, flags: { a: { type: 'bool', deprecated: true } }, gates: { G: 'BETA' } }],
    ['1.33.13', { ...none, flags: { b: { type: 'int32' } }, types: { T: { f: 'string' } }, gates: { G: 'GA' } }],
  ])

  expect(JSON.parse(combine(known))).toEqual({
    generated: 'by scripts/kubelet-knowledge/generate.ts, which says how; do not edit',
    versions: ['1.31.14', '1.32.13', '1.33.13'],
    fields: [['T', 'f', 'string', 33, 33]],
    flags: [
      ['a', 'bool', false, 31, 31],
      ['a', 'bool', true, 32, 32],
      ['b', 'int32', false, 31, 31],
      ['b', 'int32', false, 33, 33],
    ],
    gates: [['G', 31, 33]],
  })
})

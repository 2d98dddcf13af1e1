import { expect, test } from 'vitest'
import { combine, type Knowledge } from '../../../scripts/kubelet-knowledge/combine.ts'

const none: Knowledge = { types: {}, flags: {}, gates: {}, ranges: {}, enums: {} }

test('combine gives each fact the minors in which it held, and a row of its own when it came back', () => {
  const known = new Map<string, Knowledge>([
    [
      '1.31.14',
      {
        ...none,
        flags: { a: { type: 'bool' }, b: { type: 'int32', field: 'B' } },
        gates: { G: { default: false, stage: 'ALPHA' } },
      },
    ],
    [
      '1.32.13',
      {
        ...none,
        flags: { a: { type: 'bool', deprecated: true } },
        gates: { G: { default: false, stage: 'ALPHA' } },
        ranges: { 'T.n': [0, 9] },
      },
    ],
    [
      '1.33.13',
      {
        ...none,
        flags: { b: { type: 'int32', field: 'B' } },
        types: { T: { f: 'string' } },
        gates: { G: { default: true, stage: '', locked: true, needs: ['H'] } },
        enums: { 'T.f': ['a', 'b'] },
      },
    ],
  ])

  expect(JSON.parse(combine(known))).toEqual({
    generated: 'by scripts/kubelet-knowledge/generate.ts, which says how; do not edit',
    versions: ['1.31.14', '1.32.13', '1.33.13'],
    fields: [['T', 'f', 'string', 33, 33]],
    flags: [
      ['a', 'bool', false, '', 31, 31],
      ['a', 'bool', true, '', 32, 32],
      ['b', 'int32', false, 'B', 31, 31],
      ['b', 'int32', false, 'B', 33, 33],
    ],
    gates: [
      ['G', false, false, 'ALPHA', 31, 32],
      ['G', true, true, '', 33, 33],
    ],
    gateNeeds: [['G', 'H', 33, 33]],
    ranges: [['T.n', 0, 9, 32, 32]],
    enums: [['T.f', ['a', 'b'], 33, 33]],
  })
})

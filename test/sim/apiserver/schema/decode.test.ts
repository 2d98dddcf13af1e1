import { expect, test } from 'vitest'
import { decode } from '../../../../src/sim/apiserver/schema/decode.ts'
import type { Schema } from '../../../../src/sim/apiserver/schema/schema.ts'

const schema: Schema = {
  type: 'object',
  properties: {
    size: { type: 'integer', default: 1 },
    note: { type: 'string' },
    more: { type: 'object', properties: { note: { type: 'string' } } },
  },
}

test('a value that has nothing to drop and lacks no default is kept as it is', () => {
  const value = { size: 2, more: { note: 'a' } }
  expect(decode(value, schema, { unknown: [] })).toBe(value)
})

test('a default is filled in where all that is there is known', () => {
  expect(decode({ note: 'a' }, schema, { unknown: [] })).toEqual({ note: 'a', size: 1 })
})

test('unknown fields and nulls are dropped at their depth, and what is beside them stays the same object', () => {
  const more = { note: 'a' }
  const unknown: string[] = []
  const decoded = decode({ size: 2, note: null, more, other: 3 }, schema, { unknown })
  expect(decoded).toEqual({ size: 2, more: { note: 'a' } })
  expect((decoded as { readonly more: unknown }).more).toBe(more)
  expect(unknown).toEqual(['other'])
})

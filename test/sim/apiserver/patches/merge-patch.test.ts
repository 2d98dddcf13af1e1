import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../../../../src/sim/apiserver/json.ts'
import { mergePatch } from '../../../../src/sim/apiserver/patches/merge-patch.ts'

test.each([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
] as [Json, Json, Json][])('merging into %j the patch %j gives %j', (target, patch, expected) => {
  expect(mergePatch(target, patch)).toEqual(expected)
})

test('what the patch does not touch is shared, not copied', () => {
  const target = { metadata: { labels: { a: '1' } }, status: { images: [1, 2, 3] } }
  const merged = mergePatch(target, { metadata: { labels: { b: '2' } } }) as typeof target

  expect(merged.status).toBe(target.status)
})

const withoutNull = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('null'))

test('patching with a whole object without nulls puts all of it there, and twice is as once', () => {
  fc.assert(
    fc.property(fc.jsonValue(), withoutNull, (target, patch) => {
      const once = mergePatch(target as Json, patch as Json)
      expect(mergePatch(once, patch as Json)).toEqual(once)
      expect(mergePatch({}, patch as Json)).toEqual(patch)
    }),
  )
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyMergePatch, type JsonObject, leavesOf } from '../../src/protocol/merge-patch.ts'
import { composeMergePatches, UnsayableError } from '../../src/render/merge-config.ts'

/** Of the examples in RFC 7396, appendix A, those whose target and patch are objects. */
test.each<[JsonObject, JsonObject, JsonObject]>([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])('applyMergePatch of %j and %j', (target, patch, merged) => {
  expect(applyMergePatch(target, patch)).toEqual(merged)
})

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.array(fc.integer(), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('value'), { maxKeys: 4 }),
})).object as fc.Arbitrary<Record<string, never>>

test('applyMergePatch keeps every value that the patch names, and is the same when done twice', () => {
  fc.assert(
    fc.property(json, json, (target, patch) => {
      const merged = applyMergePatch(target, patch)
      expect(applyMergePatch(merged, patch)).toEqual(merged)
      for (const [key, value] of Object.entries(patch)) if (typeof value !== 'object') expect(merged[key]).toEqual(value)
      for (const key of Object.keys(target)) if (!(key in patch)) expect(merged[key]).toEqual(target[key])
    }),
  )
})

test('composeMergePatches keeps nulls, for the file that the patch is for may have the field', () => {
  const patches = [
    { a: 1, b: { c: 1 } },
    { a: null, b: { d: [2] } },
  ]
  expect(composeMergePatches(patches)).toEqual({ a: null, b: { c: 1, d: [2] } })
})

test('composeMergePatches refuses what one patch cannot say: an object in place of another', () => {
  const patches = [{ a: { evictionHard: null } }, { a: { evictionHard: { 'memory.available': '1Gi' } } }]
  expect(() => composeMergePatches(patches)).toThrow(UnsayableError)
  expect(() => composeMergePatches(patches)).toThrow('"a.evictionHard" is removed and then set again')
})

const scalar = fc.constantFrom<null | number | readonly string[]>(null, 1, 2, ['x'])
const fields = fc.letrec<{ object: JsonObject }>((tie) => ({
  object: fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.oneof(scalar, tie('object')), {
    maxKeys: 3,
  }) as fc.Arbitrary<JsonObject>,
})).object

test('composeMergePatches does what the patches do one after the other', () => {
  fc.assert(
    fc.property(fields, fc.array(fields, { maxLength: 4 }), (target, patches) => {
      let composed: JsonObject
      try {
        composed = composeMergePatches(patches)
      } catch (error) {
        expect(error).toBeInstanceOf(UnsayableError)
        return
      }
      const oneByOne = patches.reduce<JsonObject>((merged, patch) => applyMergePatch(merged, patch), target)
      expect(applyMergePatch(target, composed)).toEqual(oneByOne)
    }),
    { numRuns: 3000 },
  )
})

test('leavesOf gives every value that is no filled object', () => {
  expect(leavesOf({ a: { b: 1, c: {} }, d: [{ e: 1 }], f: null })).toEqual([
    { path: ['a', 'b'], value: 1 },
    { path: ['a', 'c'], value: {} },
    { path: ['d'], value: [{ e: 1 }] },
    { path: ['f'], value: null },
  ])
})

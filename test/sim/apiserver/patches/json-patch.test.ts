import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../../src/sim/apiserver/json.ts'
import { JsonPatchError, jsonPatch } from '../../../../src/sim/apiserver/patches/json-patch.ts'

test.each([
  ['adds a member', { a: 1 }, [{ op: 'add', path: '/b', value: 2 }], { a: 1, b: 2 }],
  ['adds before an item', { a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
  ['adds at the end', { a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
  ['removes a member', { a: 1, b: 2 }, [{ op: 'remove', path: '/b' }], { a: 1 }],
  ['removes an item', { a: [1, 2] }, [{ op: 'remove', path: '/a/0' }], { a: [2] }],
  ['replaces', { a: { b: 1 } }, [{ op: 'replace', path: '/a/b', value: 2 }], { a: { b: 2 } }],
  ['replaces the whole', { a: 1 }, [{ op: 'replace', path: '', value: { b: 1 } }], { b: 1 }],
  ['moves', { a: 1 }, [{ op: 'move', from: '/a', path: '/b' }], { b: 1 }],
  ['copies', { a: [1] }, [{ op: 'copy', from: '/a', path: '/b' }], { a: [1], b: [1] }],
  ['tests', { a: { b: [1] } }, [{ op: 'test', path: '/a', value: { b: [1] } }], { a: { b: [1] } }],
  [
    'reads escapes',
    { 'a/b': 1, '~': 2 },
    [
      { op: 'replace', path: '/a~1b', value: 3 },
      { op: 'remove', path: '/~0' },
    ],
    { 'a/b': 3 },
  ],
] as [string, Json, JsonObject[], Json][])('a JSON patch %s', (_what, document, operations, expected) => {
  expect(jsonPatch(document, operations)).toEqual(expected)
})

test.each([
  ['a path that is not there', [{ op: 'remove', path: '/x' }]],
  ['a parent that is not there', [{ op: 'add', path: '/x/y', value: 1 }]],
  ['an item out of bounds', [{ op: 'add', path: '/list/7', value: 1 }]],
  ['an index with a leading zero', [{ op: 'remove', path: '/list/00' }]],
  ['a test that fails', [{ op: 'test', path: '/a', value: 2 }]],
  ['an unknown operation', [{ op: 'spin', path: '/a' }]],
  ['a value left out', [{ op: 'add', path: '/b' }]],
  ['a path without a slash', [{ op: 'remove', path: 'a' }]],
] as [string, JsonObject[]][])('a JSON patch refuses %s', (_what, operations) => {
  expect(() => jsonPatch({ a: 1, list: [1] }, operations)).toThrow(JsonPatchError)
})

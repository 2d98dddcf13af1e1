import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { late as lateOf } from '../../scripts/late-schemas.ts'

const late = Object.fromEntries(Object.entries(z).map(([name, make]) => [name, lateOf(make as never)])) as unknown as typeof z

/** All that the agent's schemas are made of. */
function schemaOf({ object, optional, string, ...from }: typeof z) {
  const name = string().check(from.regex(/^[a-z]+$/, 'expected letters'), from.maxLength(5))
  const source = from.strictObject({ url: name, sha256: from.union([name, from.record(string(), name)]) })
  const unit = object({
    ...source.shape,
    state: optional(from.enum(['running', 'stopped'])),
    masked: optional(from.literal(true)),
    count: from._default(from.number().check(from.gte(1), from.lte(9)), 3),
    whole: optional(from.nullable(from.int())),
    words: optional(from.readonly(from.array(string()).check(from.refine((list) => list.length < 3, 'too many')))),
    by: optional(from.partialRecord(from.enum(['a', 'b']), from.boolean())),
  })
  const open = from.catchall(object({ version: optional(from.number()) }), from.array(from.looseObject({ kind: string() })))
  return from.extend(unit, { open: optional(open), anything: optional(from.unknown()) })
}

const base = { url: 'abc', sha256: 'def' }

test.for([
  base,
  { ...base, sha256: { amd64: 'abc' }, state: 'running', masked: true, count: 9, whole: null, words: ['a'], by: { a: true } },
  { ...base, open: { version: 1, files: [{ kind: 'file', path: '/a' }] }, anything: [1], left: 'out' },
  { ...base, url: 'abcdef' },
  { ...base, url: 'A1' },
  { ...base, sha256: { amd64: 1 } },
  { ...base, state: 'odd', masked: false, count: 0, whole: 1.5, words: ['a', 'b', 'c'], by: { c: true } },
  { ...base, open: { files: [{}] } },
  null,
])('a late schema says of %j what zod says', (value) => {
  const { success, data, error } = schemaOf(late).safeParse(value)
  const expected = schemaOf(z).safeParse(value)
  expect({ success, data, issues: error?.issues }).toEqual({
    success: expected.success,
    data: expected.data,
    issues: expected.error?.issues,
  })
})

test('a late schema throws what zod throws', () => {
  // What a message says depends on the language that zod was set to, here or by another test of the process.
  const issues = [
    { code: 'invalid_type', expected: 'string', path: [], message: z.string().safeParse(1).error?.issues[0]?.message },
  ]
  expect(() => late.string().parse(1)).toThrow(expect.objectContaining({ issues }))
})

test('a late schema is made when it first parses something, and once', () => {
  let made = 0
  const count = (): boolean => {
    made++
    return true
  }
  const shape = Object.defineProperty({}, 'name', { enumerable: true, get: () => count() && late.string() })
  const schema = late.optional(late.object(shape))
  expect(made).toBe(0)
  expect([schema.parse({ name: 'a' }), schema.parse({ name: 'b' })]).toEqual([{ name: 'a' }, { name: 'b' }])
  expect(made).toBe(1)
})

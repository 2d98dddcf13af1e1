import { expect, test } from 'vitest'
import {
  factsFor,
  formatRenderedFrom,
  parseRenderedFrom,
  type RenderedFrom,
} from '../../../src/controller/cache/rendered-from.ts'

const GIB = 2 ** 30
const from = (fingerprint: string, cpu = 4) => ({ fingerprint, cpu, memory: 8 * GIB })
const noted = (...before: readonly string[]): RenderedFrom => ({ ...from('a'), before: before.map((each) => from(each)) })

test.each<readonly [what: string, fingerprint: string, last: RenderedFrom | undefined, before: readonly string[] | undefined]>([
  ['the first content', 'a', undefined, undefined],
  ['the same content once more', 'a', from('a', 8), undefined],
  ['other content', 'b', from('a'), ['a']],
  ['other content after three', 'e', noted('b', 'c', 'd'), ['a', 'b', 'c']],
  ['content of before', 'c', noted('b', 'c', 'd'), ['a', 'b', 'd']],
])('%s is noted with what it was calculated from, and that of before', (_, fingerprint, last, before) => {
  const note = JSON.parse(formatRenderedFrom(from(fingerprint), last))
  expect(note).toEqual({ ...from(fingerprint), ...(before && { before: before.map((each) => from(each)) }) })
  expect(parseRenderedFrom(formatRenderedFrom(from(fingerprint), last))).toEqual(note)
})

const long = (length: number) => JSON.stringify(from('a')).padEnd(length)

test.each<readonly [what: string, annotation: string | undefined, note: object | undefined]>([
  ['is absent', undefined, undefined],
  ['is no JSON', '{', undefined],
  ['is null', 'null', undefined],
  ['names no content', '{"cpu":4}', undefined],
  ['names content by a number', '{"fingerprint":4}', undefined],
  ['names content alone', '{"fingerprint":"a"}', { fingerprint: 'a' }],
  ['has no list of before', '{"fingerprint":"a","before":"b"}', { fingerprint: 'a' }],
  [
    'has others before',
    '{"fingerprint":"a","before":[{"fingerprint":"b"},{},null]}',
    { fingerprint: 'a', before: [{ fingerprint: 'b' }] },
  ],
  ['is as long as is read', long(2000), from('a')],
  ['is longer', long(2001), undefined],
])('a note that %s is read as such', (_, annotation, note) => {
  expect(parseRenderedFrom(annotation)).toEqual(note)
})

const facts = { name: 'n0', labels: {}, arch: 'amd64', osImage: 'Debian 12', cpu: 2, memory: 4 * GIB }
const reading = (fingerprint: string) => ({ fingerprint, readsCapacity: true }) as const

test.each<
  readonly [
    what: string,
    pool: { fingerprint: string; readsCapacity?: true },
    renderedFrom: RenderedFrom | undefined,
    cpu: number,
  ]
>([
  ['has nothing noted', reading('a'), undefined, 2],
  ['has this content noted', reading('a'), from('a'), 4],
  ['has this content noted as that of before', reading('b'), { ...from('a', 8), before: [from('b', 6)] }, 6],
  ['has other content noted', reading('c'), from('a'), 2],
  ['is of a pool that reads no capacity', { fingerprint: 'a' }, from('a'), 2],
])('a node that %s is rendered from these processors', (_, pool, renderedFrom, cpu) => {
  expect(factsFor({ facts: { ...facts }, renderedFrom }, pool).cpu).toBe(cpu)
})

test('what a node is rendered from is the same object for as long as it is the same', () => {
  const node = { facts: { ...facts }, renderedFrom: from('a') }
  const first = factsFor(node, reading('a'))
  expect(first).toEqual({ ...facts, cpu: 4, memory: 8 * GIB })
  expect(factsFor({ ...node, renderedFrom: from('a') }, reading('a'))).toBe(first)
  expect(factsFor({ ...node, renderedFrom: from('a', 8) }, reading('a')).cpu).toBe(8)
})

test('what a node is rendered from stays the same object for all four contents that are noted', () => {
  const node = { facts: { ...facts }, renderedFrom: noted('b', 'c', 'd') }
  const made = () => ['a', 'b', 'c', 'd'].map((fingerprint) => factsFor(node, reading(fingerprint)))
  const first = made()
  expect(made().map((each, index) => each === first[index])).toEqual([true, true, true, true])
})

test('a node whose note says what its machine has keeps its facts', () => {
  const node = { facts: { ...facts }, renderedFrom: { fingerprint: 'a', cpu: 2, memory: 4 * GIB } }
  expect(factsFor(node, reading('a'))).toBe(node.facts)
})

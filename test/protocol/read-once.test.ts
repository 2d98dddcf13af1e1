import { expect, test } from 'vitest'
import { readOnce } from '../../src/protocol/read-once.ts'

test('a text is read once, and all who bear it share what was read', () => {
  const texts: string[] = []
  const read = readOnce((text) => {
    texts.push(text)
    return { text }
  })
  expect(read('a')).toBe(read('a'))
  expect(read('b')).toEqual({ text: 'b' })
  expect(texts).toEqual(['a', 'b'])
})

test('texts are forgotten when there are a thousand, and read again when they come again', () => {
  const reads = new Map<string, number>()
  const read = readOnce((text) => {
    reads.set(text, (reads.get(text) ?? 0) + 1)
    return { text }
  })
  for (let index = 0; index <= 1_000; index++) read(String(index))
  read('0')
  read('1000')
  expect([reads.get('0'), reads.get('1000')]).toEqual([2, 1])
})

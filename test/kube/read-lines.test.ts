import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readLines } from '../../src/kube/read-lines.ts'

async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (let start = 0, n = 0; start < bytes.length; n++) {
    const size = sizes[n % sizes.length] ?? 1
    yield bytes.subarray(start, start + size)
    start += size
  }
}

async function collect(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = []
  for await (const line of lines) all.push(line)
  return all
}

test('readLines gives the same lines however the stream is cut', async () => {
  const line = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\n'))
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), async (lines, sizes) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''))
      expect(await collect(readLines(cut(bytes, sizes), 1000))).toEqual(lines)
    }),
  )
})

test('readLines drops what follows the last newline', async () => {
  expect(await collect(readLines(cut(Buffer.from('one\ntw'), [2]), 10))).toEqual(['one'])
})

test('readLines fails when a line is too long, ended or not', async () => {
  const expected = 'failed to read line: it is longer than 4 bytes'
  await expect(collect(readLines(cut(Buffer.from('12345\n'), [2]), 4))).rejects.toThrow(expected)
  await expect(collect(readLines(cut(Buffer.from('12345'), [5]), 4))).rejects.toThrow(expected)
  expect(await collect(readLines(cut(Buffer.from('1234\n'), [5]), 4))).toEqual(['1234'])
})

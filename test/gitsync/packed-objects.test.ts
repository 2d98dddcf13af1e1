import { createHash } from 'node:crypto'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { applyDelta } from '../../src/gitsync/apply-delta.ts'
import { idOf } from '../../src/gitsync/git-object.ts'
import { PACK_LIMITS, type PackLimits } from '../../src/gitsync/pack-limits.ts'
import { PackScanner } from '../../src/gitsync/pack-scanner.ts'
import { PackedObjects } from '../../src/gitsync/packed-objects.ts'
import { aBlob, anOffsetDelta, aPack, aReferenceDelta } from './a-pack.ts'

async function objectsOf(pack: Buffer, limits: PackLimits = PACK_LIMITS) {
  const folder = await mkdtemp(join(tmpdir(), 'nodewave-pack-'))
  const file = await open(join(folder, 'pack'), 'w+')
  await file.writeFile(pack)
  const objects = new PackedObjects(file, limits)
  const scanner = new PackScanner(limits, (object, content) => objects.add(object, content))
  scanner.push(pack)
  scanner.end()
  const dispose = async () => {
    await file.close()
    await rm(folder, { recursive: true })
  }
  return { objects, [Symbol.asyncDispose]: dispose }
}

const blobId = (text: string) => idOf({ type: 'blob', content: Buffer.from(text) })
/** Copies the first five bytes of a base of eleven, and adds three. */
const HELLO_YOU = Buffer.from([11, 8, 0x90, 5, 3, ...Buffer.from('you')])

test('deltas are found by the ids of what they make', async () => {
  const base = aBlob(Buffer.from('hello world'))
  await using it = await objectsOf(aPack([base, anOffsetDelta(base.length, HELLO_YOU)]))
  await it.objects.resolve()
  expect((await it.objects.read(blobId('helloyou')))?.content.toString()).toBe('helloyou')
  expect(it.objects.has(blobId('hello world'))).toBe(true)
})

test('a delta may come before the object that it names, itself a delta', async () => {
  const base = aBlob(Buffer.from('hello world'))
  const last = aReferenceDelta(blobId('helloyou'), Buffer.from([8, 5, 0x90, 5]))
  const middle = aReferenceDelta(blobId('hello world'), HELLO_YOU)
  await using it = await objectsOf(aPack([last, middle, base]))
  await it.objects.resolve()
  expect((await it.objects.read(blobId('hello')))?.content.toString()).toBe('hello')
})

test.for<[string, readonly Buffer[], string]>([
  ['of an object elsewhere', [aReferenceDelta('1'.repeat(40), HELLO_YOU)], 'of an object that is not in it'],
  ['of itself', [anOffsetDelta(0, HELLO_YOU)], 'of an object that is not in it'],
  ['of what lies before the pack', [anOffsetDelta(100_000, HELLO_YOU)], 'of an object that is not in it'],
  [
    'of a base of another length',
    [aBlob(Buffer.from('x')), anOffsetDelta(aBlob(Buffer.from('x')).length, HELLO_YOU)],
    'its base has 1',
  ],
])('a delta %s is refused', async ([, objects, message]) => {
  await using it = await objectsOf(aPack(objects))
  await expect(it.objects.resolve()).rejects.toMatchObject({ reason: 'CorruptPack', message: expect.stringContaining(message) })
})

test.for<[string, readonly number[], string]>([
  ['copies what is not there', [3, 4, 0x91, 2, 4], 'copies what is not there'],
  ['makes less than it declares', [3, 4, 0x90, 2], 'makes 2 bytes and declares 4'],
  ['has instruction 0', [3, 4, 0], 'that nobody knows'],
])('a delta that %s is refused', ([, delta, message]) => {
  expect(() => applyDelta(Buffer.from('abc'), Buffer.from(delta))).toThrow(message)
})

test('a long chain of large deltas that is walked from its end costs a limited amount of work', async () => {
  const size = 200_000
  const base = aBlob(Buffer.alloc(size))
  const sizes = [0xc0, 0x9a, 0x0c]
  // Each changes its first byte.
  const deltas = Array.from({ length: 60 }, (_, n) =>
    Buffer.from([...sizes, ...sizes, 1, n + 1, 0xf1, 1, 0xff, 0xff, 0, ...copies(65_536, size)]),
  )
  const objects: Buffer[] = [base]
  for (const delta of deltas) objects.push(anOffsetDelta(objects.at(-1)?.length ?? 0, delta))
  await using it = await objectsOf(aPack(objects), { ...PACK_LIMITS, maxObjects: 100, maxUnpackedBytes: 61 * size })
  await it.objects.resolve()
  expect([...it.objects.ids()]).toHaveLength(61)
})

/** Copy instructions from there to the end. */
function copies(from: number, size: number): number[] {
  const bytes: number[] = []
  for (let at = from; at < size; at += 50_000) {
    const length = Math.min(50_000, size - at)
    bytes.push(0xb7, at & 255, (at >> 8) & 255, (at >> 16) & 255, length & 255, (length >> 8) & 255)
  }
  return bytes
}

test('a delta whose base is a delta on a later object is found, as git finds it', async () => {
  const hello = aReferenceDelta(blobId('helloyou'), Buffer.from([8, 5, 0x90, 5]))
  const hell = anOffsetDelta(hello.length, Buffer.from([5, 4, 0x90, 4]))
  const base = aReferenceDelta(blobId('hello world'), HELLO_YOU)
  await using it = await objectsOf(aPack([hello, hell, base, aBlob(Buffer.from('hello world'))]))
  await it.objects.resolve()
  expect((await it.objects.read(blobId('hell')))?.content.toString()).toBe('hell')
})

test('an object that comes twice, as itself and as a delta on what is a delta on it, is read, as git reads it', async () => {
  const [here, there] = ['hello world', 'hello there']
  const copy = (text: string) => Buffer.from([11, 11, 11, ...Buffer.from(text)])
  const objects = [
    aReferenceDelta(blobId(there), copy(here)),
    aReferenceDelta(blobId(here), copy(there)),
    aBlob(Buffer.from(here)),
  ]
  await using it = await objectsOf(aPack(objects))
  await it.objects.resolve()
  for (const text of [here, there]) expect((await it.objects.read(blobId(text)))?.content.toString()).toBe(text)
  expect(it.objects.typeOf(blobId(here))).toBe('blob')
})

test('deltas on each other, without an object to begin with, are refused', async () => {
  const copy = (text: string) => Buffer.from([1, 1, 1, ...Buffer.from(text)])
  await using it = await objectsOf(aPack([aReferenceDelta(blobId('b'), copy('a')), aReferenceDelta(blobId('a'), copy('b'))]))
  await expect(it.objects.resolve()).rejects.toMatchObject({ reason: 'CorruptPack' })
})

test('as many deltas as a pack may hold, all on one object that is not there, are refused without a list for each', async () => {
  await using it = await objectsOf(aPack([]))
  const delta = { type: 7, size: HELLO_YOU.length, at: 0, length: 0, base: blobId('elsewhere') }
  for (let offset = 0; offset < PACK_LIMITS.maxObjects; offset++) it.objects.add({ ...delta, offset }, HELLO_YOU)
  // To copy the list of those that wait, for each of them, took minutes: the test would time out.
  await expect(it.objects.resolve()).rejects.toMatchObject({ reason: 'CorruptPack' })
})

test('an id is that of git', () => {
  expect(blobId('')).toBe('e69de29bb2d1d6434b8b29ae775ad8c2e48c5391')
  expect(createHash('sha1').update('blob 0\0').digest('hex')).toBe(blobId(''))
})

test('objects that are one chain of deltas cost work by their number, and not by its square', async () => {
  const first = aBlob(Buffer.alloc(8))
  // Each copies seven bytes of the one before it, and adds one, which makes it another one.
  const deltas = Array.from({ length: 12_000 }, (_, n) => {
    const number = Buffer.alloc(4)
    number.writeUInt32BE(n)
    return Buffer.from([8, 8, 0x90, 4, 4, ...number])
  })
  const packed = [first]
  for (const delta of deltas) packed.push(anOffsetDelta(packed.at(-1)?.length ?? 0, delta))
  await using it = await objectsOf(aPack(packed))
  const before = process.threadCpuUsage()
  await it.objects.resolve()
  const types = new Set([...it.objects.ids()].map((id) => it.objects.typeOf(id)))
  const { user, system } = process.threadCpuUsage(before)
  expect([...types]).toEqual(['blob'])
  // A tenth of it on a machine at rest.
  expect((user + system) / 1000).toBeLessThan(5000)
})

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { guardedPack } from '../../src/gitsync/pack-guard.ts'
import { PACK_LIMITS } from '../../src/gitsync/pack-limits.ts'
import { aBlob, anOffsetDelta, aPack, objectHeader } from './a-pack.ts'
import { gitFixture } from './git-fixture.ts'

/** As a server sends it: a NAK, then packets of the pack. */
function* answer(packed: Buffer, chunk = 1000): Generator<Buffer> {
  yield Buffer.from('0008NAK\n')
  for (let at = 0; at < packed.length; at += chunk) {
    const part = packed.subarray(at, at + chunk)
    yield Buffer.concat([Buffer.from((part.length + 5).toString(16).padStart(4, '0')), Buffer.from([1]), part])
  }
  yield Buffer.from('0000')
}

async function* inPieces(text: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let at = 0
  for (let n = 0; at < text.length; n++) {
    const size = sizes[n % sizes.length] ?? text.length
    yield text.subarray(at, at + size)
    at += size
  }
}

async function passes(packed: Buffer, { sizes = [65_536], limits = PACK_LIMITS } = {}): Promise<Buffer> {
  const sent = Buffer.concat([...answer(packed)])
  const passed: Uint8Array[] = []
  for await (const chunk of guardedPack(inPieces(sent, sizes), { limits, onRefused: () => {} })) passed.push(chunk)
  return Buffer.concat(passed)
}

const GIB = 1024 ** 3
/** A number of 200 bytes of which each has nothing to add. */
const ENDLESS = [...Array(200).fill(128), 0]
const deltaOfGib = Buffer.from([1, 128, 128, 128, 128, 4, 0x90, 1])

test.for<[string, Buffer, string, string]>([
  ['declares a GiB', aPack([aBlob(Buffer.from('x'), GIB)]), 'PackTooLarge', 'an object of it unpacks to 1073741824 bytes'],
  [
    'makes a GiB from a delta',
    aPack([anOffsetDelta(12, deltaOfGib)]),
    'PackTooLarge',
    'an object of it unpacks to 1073741824 bytes',
  ],
  [
    'makes no number of bytes from a delta',
    aPack([anOffsetDelta(12, Buffer.from([1, ...ENDLESS, 0x90, 1]))]),
    'CorruptPack',
    'a number in it has no end',
  ],
  [
    'declares no number of bytes',
    aPack([Buffer.concat([Buffer.from([0xb0, ...ENDLESS]), deflateSync('')])]),
    'CorruptPack',
    'a number in it has no end',
  ],
  ['is of a version that nobody knows', Buffer.from(aPack([]).fill(9, 7, 8)), 'CorruptPack', 'version 9'],
  ['has an object of no known type', aPack([Buffer.concat([objectHeader(5, 1), deflateSync('x')])]), 'CorruptPack', 'of type 5'],
  ['declares 4 billion objects', aPack([], 4_000_000_000), 'PackTooLarge', 'it has 4000000000 objects, more than 200000'],
  ['unpacks to more than it declares', aPack([aBlob(Buffer.alloc(1_000_000), 100)]), 'CorruptPack', 'more bytes than the 100'],
  ['unpacks to less than it declares', aPack([aBlob(Buffer.from('x'), 100)]), 'CorruptPack', 'has 1 bytes and declares 100'],
  ['is no pack', Buffer.from('<html>'.repeat(10)), 'CorruptPack', 'does not begin as a pack'],
  ['ends too early', aPack([aBlob(Buffer.from('x'))], 2), 'CorruptPack', ''],
  ['is cut off', aPack([aBlob(randomBytes(5000))]).subarray(0, 3000), 'CorruptPack', 'ends too early'],
  ['goes on', Buffer.concat([aPack([aBlob(Buffer.from('x'))]), Buffer.from('more')]), 'CorruptPack', 'goes on after its end'],
  [
    'has no end of empty blocks',
    aPack([Buffer.concat([objectHeader(3, 5), Buffer.from([0x78, 0x9c]), Buffer.from('000000ffff'.repeat(50_000), 'hex')])]),
    'CorruptPack',
    'an object of 5 bytes has no end',
  ],
])('a pack that %s is refused by name', async ([, packed, reason, message]) => {
  await expect(passes(packed)).rejects.toMatchObject({ reason, message: expect.stringContaining(message) })
})

test('a pack with one wrong byte is refused, wherever it is', async () => {
  const good = aPack([aBlob(Buffer.from('some content')), aBlob(randomBytes(100)), aBlob(Buffer.alloc(1000))])
  for (let at = 0; at < good.length; at++) {
    // The version, which nobody looks at, is covered by the checksum all the same.
    const bad = Buffer.from(good)
    bad[at] = (bad[at] ?? 0) ^ 1
    await expect(passes(bad), `byte ${at}`).rejects.toMatchObject({ name: 'GitSyncError' })
  }
})

test('whatever bytes a server sends, they pass or are refused by name', async () => {
  const good = aPack([aBlob(Buffer.from('some content')), aBlob(randomBytes(300)), aBlob(Buffer.alloc(5000))])
  const edits = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 6 })
  const spoilt = edits.map((changes) => changes.reduce((bytes, [at, value]) => bytes.fill(value, at, at + 1), Buffer.from(good)))
  const cut = fc.nat(good.length).map((length) => good.subarray(0, length))
  const noise = fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.concat([good.subarray(0, 12), Buffer.from(bytes)]))
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(spoilt, cut, noise),
      fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1 }),
      async (sent, sizes) => {
        const error = await passes(sent, { sizes }).then(
          () => undefined,
          (thrown: unknown) => thrown,
        )
        expect(error === undefined || Object(error).name === 'GitSyncError').toBe(true)
      },
    ),
    { numRuns: 300 },
  )
})

test('a server that does not send packets is refused', async () => {
  const body = async function* () {
    yield Buffer.from('PACK without side-band')
  }
  const read = async () => {
    for await (const _ of guardedPack(body(), { limits: PACK_LIMITS, onRefused: () => {} }));
  }
  await expect(read()).rejects.toMatchObject({ reason: 'CorruptPack' })
})

test('a pack of the real git passes unchanged, however it is cut', async () => {
  await using fixture = await gitFixture()
  const text = Array.from({ length: 500 }, (_, line) => `line ${line}`)
  await fixture.commit('first', { 'a.yaml': text.join('\n'), noise: randomBytes(20_000).toString('latin1') })
  for (let n = 0; n < 5; n++) await fixture.commit(`more ${n}`, { 'a.yaml': text.with(n * 50, 'changed').join('\n') })
  const ids = await fixture.git('rev-list', '--all')
  const packed = execFileSync('git', ['pack-objects', '--revs', '--stdout', '--delta-base-offset', '-q'], {
    cwd: fixture.work,
    input: `${ids}\n`,
  })
  expect(packed.length).toBeGreaterThan(20_000)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1, maxLength: 5 }), async (sizes) => {
      expect(await passes(packed, { sizes })).toEqual(Buffer.concat([...answer(packed)]))
    }),
    { numRuns: 30 },
  )
})

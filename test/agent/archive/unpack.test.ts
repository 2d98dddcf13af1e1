import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { unpackTar } from '../../../src/agent/archive/unpack.ts'
import { sha256Of } from '../../../src/agent/sha256.ts'
import { makeTar, type TarInput } from '../support/make-tar.ts'

async function unpack(tar: Uint8Array, { strip = 0, piece = tar.length, limits = { files: 10, size: 1000 } } = {}) {
  const stored: string[] = []
  const pieces = function* () {
    for (let at = 0; at < tar.length; at += piece) yield tar.subarray(at, at + piece)
  }
  const manifest = await unpackTar(Readable.from(pieces()), {
    strip,
    limits,
    store: async (body) => {
      const parts: Uint8Array[] = []
      for await (const part of body) parts.push(part)
      stored.push(Buffer.concat(parts).toString())
      return sha256Of(Buffer.concat(parts))
    },
  })
  return { ...manifest, stored }
}

const sha = (text: string) => sha256Of(Buffer.from(text))

const PLUGINS: TarInput[] = [
  { path: './', type: '5', mode: 0o777 },
  { path: './bridge', content: 'bridge\n', mode: 0o4775 },
  { path: './sub/', type: '5' },
  { path: './sub/LICENSE', content: 'x'.repeat(700), mode: 0o640 },
  { path: './latest', type: '2', target: 'sub/LICENSE' },
  { path: './again', type: '1', target: './bridge' },
]

test.each([1, 7, 511, 512, 5000])(
  'archive is unpacked to files and links without set-id bits and write rights of others, in pieces of %i bytes',
  async (piece) => {
    expect(await unpack(makeTar(PLUGINS), { piece })).toEqual({
      files: [
        { place: 'again', sha256: sha('bridge\n'), mode: 0o755 },
        { place: 'bridge', sha256: sha('bridge\n'), mode: 0o755 },
        { place: 'sub/LICENSE', sha256: sha('x'.repeat(700)), mode: 0o640 },
      ],
      links: [{ place: 'latest', target: 'sub/LICENSE' }],
      stored: ['bridge\n', 'x'.repeat(700)],
    })
  },
)

test('archive loses the first parts of its paths when they are stripped, and what has no more than those', async () => {
  const tar = makeTar([
    { path: 'cni-1.9/README', content: 'read\n' },
    { path: 'top', content: 'gone\n' },
    { path: 'cni-1.9/bin/bridge', content: 'b' },
    { path: 'cni-1.9/hard', type: '1', target: 'cni-1.9/README' },
  ])
  const { files } = await unpack(tar, { strip: 1 })
  expect(files.map(({ place }) => place)).toEqual(['README', 'bin/bridge', 'hard'])
})

test.each<[string, TarInput[], string]>([
  ['an absolute path', [{ path: '/etc/passwd' }], '"/etc/passwd" is an absolute path'],
  ['a path that leads up', [{ path: 'a/../../etc/passwd' }], '"a/../../etc/passwd" has ".." in it'],
  ['a control character', [{ path: 'a\nb' }], '"a\\nb" has control characters in it'],
  ['a device', [{ path: 'null', type: '3' }], '"null" is a device, a pipe or of another type ("3") that is not unpacked'],
  ['a pipe', [{ path: 'pipe', type: '6' }], '"pipe" is a device, a pipe or of another type ("6") that is not unpacked'],
  [
    'an absolute link',
    [{ path: 'l', type: '2', target: '/etc' }],
    '"l" is a link to "/etc", which is not in the archive\'s directory',
  ],
  [
    'a link that leads out',
    [{ path: 'a/l', type: '2', target: '../../x' }],
    '"a/l" is a link to "../../x", which is not in the archive\'s directory',
  ],
  [
    'a link that leads up behind another',
    [{ path: 'l', type: '2', target: 'a/../x' }],
    '"l" is a link to "a/../x", which is not in the archive\'s directory',
  ],
  [
    'a file behind a link',
    [{ path: 'l', type: '2', target: 'a' }, { path: 'l/x' }],
    '"l/x" stands below "l", which is no directory',
  ],
  ['a hard link to what is not in it', [{ path: 'l', type: '1', target: '/etc/shadow' }], '"/etc/shadow" is an absolute path'],
  [
    'a hard link to what comes later',
    [{ path: 'l', type: '1', target: 'a' }, { path: 'a' }],
    '"l" is a link to "a", which does not come before it',
  ],
  ['nothing', [{ path: 'a/', type: '5' }], 'it has no files'],
  [
    'more bytes than are allowed',
    [
      { path: 'a', content: 'x'.repeat(600) },
      { path: 'b', content: 'x'.repeat(401) },
    ],
    'it has more than 1000 bytes',
  ],
  [
    'a pax record that is no longer than its own length',
    [{ path: 'pax', type: 'x', content: '1 path=b\n' }, { path: 'a' }],
    'it has a damaged pax header',
  ],
  [
    'a pax record without a length',
    [{ path: 'pax', type: 'x', content: 'path=b\n' }, { path: 'a' }],
    'it has a damaged pax header',
  ],
  ['more files than are allowed', Array.from({ length: 11 }, (_, index) => ({ path: `f${index}` })), 'it has more than 10 files'],
])('archive with %s is refused', async (_, members, message) => {
  await expect(unpack(makeTar(members))).rejects.toThrow(message)
})

test('archive that is cut short anywhere but at its end is refused', async () => {
  const tar = makeTar([{ path: 'a', content: 'x'.repeat(600) }])
  const whole = (await unpack(tar)).files
  for (const length of [1, 511, 513, 1100])
    await expect(unpack(tar.subarray(0, length)), `${length} bytes`).rejects.toThrow('it ends in the middle')
  // Some write no blocks of zeros.
  expect((await unpack(tar.subarray(0, 3 * 512))).files).toEqual(whole)
})

test('bytes that are no archive are refused', async () => {
  await expect(unpack(Buffer.alloc(1024, 'no archive'))).rejects.toThrow('it is no tar archive, or a damaged one')
  const tar = makeTar([{ path: 'a', content: 'x' }])
  tar[3] = 1
  await expect(unpack(tar)).rejects.toThrow('it is no tar archive, or a damaged one')
})

test('archive that goes on without end behind its last member is refused', async () => {
  const zeros = Buffer.alloc(1024 * 1024)
  const endless = async function* () {
    yield makeTar([{ path: 'a', content: 'a' }])
    for (let piece = 0; piece < 100; piece++) yield zeros
  }
  const store = async (body: AsyncIterable<Uint8Array>) => {
    for await (const part of body) void part
    return sha('a')
  }

  await expect(unpackTar(endless(), { strip: 0, limits: { files: 10, size: 1000 }, store })).rejects.toThrow(
    'it is longer than 67109864 bytes when it is decompressed',
  )
})

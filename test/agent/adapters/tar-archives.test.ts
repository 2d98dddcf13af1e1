import { execFileSync } from 'node:child_process'
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HostTree } from '../../../src/agent/adapters/host-tree.ts'
import { tarArchives } from '../../../src/agent/adapters/tar-archives.ts'
import { decompressXz } from '../../../src/agent/adapters/xz-program.ts'
import { sha256Of } from '../../../src/agent/sha256.ts'

let root: string
const signal = new AbortController().signal

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'nodewave-archives-'))
  mkdirSync(join(root, 'packed'))
})
afterEach(() => rmSync(root, { recursive: true }))

const LONG = `${'deep/'.repeat(30)}${'n'.repeat(120)}`

/** By the program that everybody packs with. */
function packed(format: string): Buffer {
  const from = join(root, 'packed')
  mkdirSync(join(from, 'deep/'.repeat(30)), { recursive: true })
  writeFileSync(join(from, LONG), 'long\n')
  writeFileSync(join(from, 'bridge'), Buffer.alloc(300_000, 7), { mode: 0o755 })
  linkSync(join(from, 'bridge'), join(from, 'hard'))
  symlinkSync('bridge', join(from, 'soft'))
  return execFileSync('tar', [`--format=${format}`, '--sort=name', '-cf', '-', '-C', from, '.'], { maxBuffer: 4e6 })
}

async function unpack(bytes: Uint8Array) {
  writeFileSync(join(root, 'archive'), bytes)
  return tarArchives(new HostTree(root)).unpack('/archive', '/store', { strip: 0, signal })
}

const bridge = sha256Of(Buffer.alloc(300_000, 7))
const EXPECTED = {
  files: [
    { place: 'bridge', sha256: bridge, mode: 0o755 },
    { place: LONG, sha256: sha256Of(Buffer.from('long\n')), mode: 0o644 },
    { place: 'hard', sha256: bridge, mode: 0o755 },
  ],
  links: [{ place: 'soft', target: 'bridge' }],
}

test.each([
  ['gnu', 'gzip', gzipSync],
  ['posix', 'zstd', zstdCompressSync],
  ['posix', 'nothing', (bytes: Buffer) => bytes],
  ['gnu', 'xz', (bytes: Buffer) => execFileSync('xz', ['-c'], { input: bytes, maxBuffer: 4e6 })],
] as const)('archives of tar, format %s, compressed by %s, are unpacked into the store', async (format, _, compress) => {
  expect(await unpack(compress(packed(format)))).toEqual(EXPECTED)
  expect(readFileSync(join(root, 'store', bridge)).equals(Buffer.alloc(300_000, 7))).toBe(true)
  expect(readdirSync(join(root, 'store')).sort()).toEqual(
    EXPECTED.files
      .slice(0, 2)
      .map(({ sha256 }) => sha256)
      .sort(),
  )
})

test('archive that is cut short is refused, and nothing unfinished is left', async () => {
  const tar = packed('gnu')
  for (const compress of [gzipSync, zstdCompressSync]) {
    const whole = compress(tar)
    await expect(unpack(whole.subarray(0, whole.length - 40))).rejects.toThrow()
  }
  expect(readdirSync(join(root, 'store')).filter((name) => name.startsWith('unpacking'))).toEqual([])
})

test('archive that is unpacked when its assignment is replaced ends', async () => {
  writeFileSync(join(root, 'archive'), gzipSync(packed('gnu')))
  const unpacking = tarArchives(new HostTree(root)).unpack('/archive', '/store', { strip: 0, signal: AbortSignal.abort() })
  await expect(unpacking).rejects.toThrow('aborted')
  expect(existsSync(join(root, 'store'))).toBe(false)
})

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

test('host without xz says what to install, and damaged xz says what xz says', async () => {
  const read = async (bytes: Uint8Array, program?: string) => {
    for await (const _ of decompressXz(once(bytes), program));
  }
  await expect(read(Buffer.from('x'), '/not/there/xz')).rejects.toMatchObject({
    reason: 'ArchiveRefused',
    message: expect.stringContaining('the program "xz" cannot be run'),
  })
  await expect(read(Buffer.from('not xz at all'))).rejects.toThrow('File format not recognized')
})

import { mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FileDigests } from '../../../src/agent/adapters/file-digests.ts'
import { sha256OfFile } from '../../../src/agent/adapters/sha256-of-file.ts'

/** sha256 of `hello\n` and of `jello\n` */
const HELLO = '5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03'
const JELLO = '8b128914480c08c1d7a9c8a8ef78487f4f21cbc802a8134aa3850c9501571a15'

let folder = ''
let path = ''
let reads = 0
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nodewave-digests-'))
  path = join(folder, 'kubelet')
  writeFileSync(path, 'hello\n')
  utimesSync(path, 1, 1)
  reads = 0
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const read = (file: string) => {
  reads++
  return sha256OfFile(file)
}
/** A minute after everything that a test does. */
const later = new FileDigests({ read, now: () => Date.now() + 60_000 })

test('FileDigests reads a file once as long as it stays as it is', async () => {
  expect([await later.of(path), await later.of(path), reads]).toEqual([HELLO, HELLO, 1])
})

test.each([
  ['is written in place, and gets its old time back', () => putInPlace('jello\n')],
  ['is replaced by another', () => replaceBy('jello\n')],
])('FileDigests reads a file again when it %s', async (_, change) => {
  expect(await later.of(path)).toBe(HELLO)
  change()
  expect(await later.of(path)).toBe(JELLO)
})

test('FileDigests does not trust the stamp of a file that was changed a moment ago', async () => {
  const digests = new FileDigests({ read, now: () => statSync(path).ctimeMs + 1000 })
  expect([await digests.of(path), await digests.of(path), reads]).toEqual([HELLO, HELLO, 2])
})

test('FileDigests knows nothing of a file that is not there, nor of one that was', async () => {
  expect(await later.of(path)).toBe(HELLO)
  rmSync(path)
  expect(await later.of(path)).toBeUndefined()
  writeFileSync(path, 'jello\n')
  expect(await later.of(path)).toBe(JELLO)
})

/** Until the file system's clock has ticked: it may be coarser than this test is slow. */
function putInPlace(text: string): void {
  const { ctimeMs } = statSync(path)
  do {
    writeFileSync(path, text)
    utimesSync(path, 1, 1)
  } while (statSync(path).ctimeMs === ctimeMs)
}

function replaceBy(text: string): void {
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
}

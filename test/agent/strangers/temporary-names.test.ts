import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { replace, writeNew } from '../../../src/agent/adapters/durable-writes.ts'
import { HostTree } from '../../../src/agent/adapters/host-tree.ts'
import { nodeFiles } from '../../../src/agent/adapters/node-files.ts'
import type { HostFiles } from '../../../src/agent/ports.ts'

/** Of nobody on most machines; only root can give a file away. */
const STRANGER = 65534
const OWNERSHIP = { mode: 0o644, uid: 0, gid: 0 }

let root = ''
let tree: HostTree
let files: HostFiles
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'nodewave-names-')))
  mkdirSync(at('tmp'))
  chmodSync(at('tmp'), 0o1777)
  writeFileSync(at('staged'), 'staged')
  tree = new HostTree(root)
  files = nodeFiles(tree)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const at = (path: string): string => join(root, path)
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const read = (path: string) => () => readFileSync(at(path), 'utf8')

/** A directory of another user, which nobody replaces with a file. */
function squat(name: string): void {
  mkdirSync(at(`tmp/${name}`))
  chownSync(at(`tmp/${name}`), STRANGER, STRANGER)
}

/** Names that releases before this one used, and one as this one makes them. */
const GUESSES = ['.a.conf.nodewave-tmp', `.a.conf.${process.pid}.nodewave-tmp`, '.a.conf.0123456789abcdef.nodewave-tmp']

const WRITES = [
  ['writeAtomic', (path) => files.writeAtomic(path, bytes('new')), read('tmp/a.conf'), 'new'],
  ['install', (path) => files.install('/staged', path), read('tmp/a.conf'), 'staged'],
  ['restore', (path) => files.restore('/staged', path, OWNERSHIP), read('tmp/a.conf'), 'staged'],
  ['create', (path) => files.create(path, bytes('new')), read('tmp/a.conf'), 'new'],
  ['link', (path) => files.link(path, '/staged'), () => readlinkSync(at('tmp/a.conf')), '/staged'],
] as const satisfies readonly (readonly [string, (path: string) => Promise<unknown>, () => string, string])[]

test.each(WRITES)('nodeFiles does %s when another user took every name that it may guess', async (_, write, result, expected) => {
  GUESSES.map(squat)
  await write('/tmp/a.conf')

  expect(result()).toBe(expected)
  expect(readdirSync(at('tmp')).sort()).toEqual([...GUESSES, 'a.conf'].sort())
})

test('nodeFiles removes a file when another user took every name that it may guess', async () => {
  writeFileSync(at('tmp/a.conf'), 'old')
  GUESSES.map(squat)
  await files.remove('/tmp/a.conf')

  expect(readdirSync(at('tmp')).sort()).toEqual([...GUESSES].sort())
})

test('replace takes another name each time: one that a user saw and took is not used again', async () => {
  using target = tree.make('/tmp/a.conf')
  const seen: string[] = []
  const write = (text: string) =>
    replace(target, {}, async (temporary) => {
      seen.push(basename(temporary))
      await writeNew(temporary, bytes(text))
    })
  await write('first')
  seen.map(squat)
  await write('second')

  expect(readFileSync(at('tmp/a.conf'), 'utf8')).toBe('second')
  expect(new Set(seen).size).toBe(2)
})

import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HostTree } from '../../../src/agent/adapters/host-tree.ts'
import { nodeFiles } from '../../../src/agent/adapters/node-files.ts'
import type { HostFiles } from '../../../src/agent/ports.ts'
import { MemoryFiles } from '../../../src/sim/host/memory-files.ts'

let root: string
let real: HostFiles
const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'nodewave-names-'))
  real = nodeFiles(new HostTree(root))
})
afterEach(() => rmSync(root, { recursive: true }))

test('directory is made with its parents, its mode and its owner', async () => {
  await real.makeDirectory('/a/b', { mode: 0o2757, ...own })
  expect(statSync(join(root, 'a')).mode & 0o7777).toBe(0o755)
  expect(statSync(join(root, 'a/b')).mode & 0o7777).toBe(0o2757)
})

test('directory that is there keeps what is not named', async () => {
  mkdirSync(join(root, 'a'))
  chmodSync(join(root, 'a'), 0o711)
  await real.makeDirectory('/a')
  expect(statSync(join(root, 'a')).mode & 0o7777).toBe(0o711)
})

test('directory is not made where a link to one is, nor is that changed', async () => {
  mkdirSync(join(root, 'secret'), { mode: 0o700 })
  symlinkSync('secret', join(root, 'a'))
  await expect(real.makeDirectory('/a', { mode: 0o777 })).rejects.toThrow(/ENOTDIR|ELOOP/)
  expect(statSync(join(root, 'secret')).mode & 0o7777).toBe(0o700)
})

test('link is made with its parents, and leads elsewhere later', async () => {
  await real.link('/a/current', '/opt/v1')
  await real.link('/a/current', '/opt/v2')
  expect(readlinkSync(join(root, 'a/current'))).toBe('/opt/v2')
  await real.remove('/a/current')
  expect(lstatSync(join(root, 'a/current'), { throwIfNoEntry: false })).toBeUndefined()
})

test('link is not made behind a link that somebody made in a directory for all', async () => {
  mkdirSync(join(root, 'tmp'))
  chmodSync(join(root, 'tmp'), 0o1777)
  symlinkSync('/', join(root, 'tmp/a'))
  await expect(real.link('/tmp/a/etc', '/x')).rejects.toMatchObject({ reason: 'UnsafePath' })
})

test.each<[string, () => HostFiles]>([
  ['real', () => real],
  ['simulated', () => new MemoryFiles()],
])('%s files tell links, directories and files apart', async (_, make) => {
  const files = make()
  await files.link('/a/link', '/target')
  await files.makeDirectory('/a/directory', { mode: 0o700 })
  await files.writeAtomic('/a/file', Buffer.from('x'))
  expect(await files.readLink('/a/link')).toBe('/target')
  expect(await files.readLink('/a/none')).toBeUndefined()
  expect((await files.stat('/a/link'))?.type).toBe('symlink')
  expect(await files.stat('/a/directory')).toMatchObject({ type: 'directory', mode: 0o700 })
  expect(await files.list('/a')).toEqual(['directory', 'file', 'link'])
  await expect(files.link('/a/directory', '/x')).rejects.toThrow('EISDIR')
  await expect(files.makeDirectory('/a/file')).rejects.toThrow(/ENOTDIR|EEXIST/)
  await files.link('/a/file', '/x')
  expect(await files.readLink('/a/file')).toBe('/x')
  await files.removeEmpty('/a/directory')
  await files.remove('/a/link')
  expect(await files.list('/a')).toEqual(['file'])
})

test('link of which only the target is missing is a link', async () => {
  writeFileSync(join(root, 'file'), 'x')
  await real.link('/dangling', '/not/there')
  expect((await real.stat('/dangling'))?.type).toBe('symlink')
})

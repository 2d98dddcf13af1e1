import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { nodeFiles } from '../../../src/agent/adapters/node-files.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'nodewave-files-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

test('nodeFiles writes below its root, makes parents and leaves no temporary file', async () => {
  await nodeFiles(root).writeAtomic('/etc/default/kubelet', bytes('A=1\n'), { mode: 0o640 })

  expect(readFileSync(join(root, 'etc/default/kubelet'), 'utf8')).toBe('A=1\n')
  expect(statSync(join(root, 'etc/default/kubelet')).mode & 0o7777).toBe(0o640)
  expect(readdirSync(join(root, 'etc/default'))).toEqual(['kubelet'])
})

test('nodeFiles keeps the mode of a file it replaces when none is asked for', async () => {
  writeFileSync(join(root, 'secret'), 'old')
  chmodSync(join(root, 'secret'), 0o600)
  await nodeFiles(root).writeAtomic('/secret', bytes('new'))
  expect(statSync(join(root, 'secret')).mode & 0o7777).toBe(0o600)
})

test('nodeFiles sweeps up the temporary file of a crash at the next write', async () => {
  writeFileSync(join(root, '.config.yaml.nodewave-tmp'), 'half a fi')
  await nodeFiles(root).writeAtomic('/config.yaml', bytes('whole'))
  expect(readdirSync(root)).toEqual(['config.yaml'])
})

test('nodeFiles installs a copy and keeps the staged file', async () => {
  writeFileSync(join(root, 'staged'), 'binary')
  await nodeFiles(root).install('/staged', '/usr/bin/kubelet', { mode: 0o755 })
  expect(readFileSync(join(root, 'usr/bin/kubelet'), 'utf8')).toBe('binary')
  expect(statSync(join(root, 'usr/bin/kubelet')).mode & 0o7777).toBe(0o755)
  expect(readFileSync(join(root, 'staged'), 'utf8')).toBe('binary')
})

test('nodeFiles replaces a symbolic link instead of writing through it', async () => {
  writeFileSync(join(root, 'victim'), 'untouched')
  symlinkSync(join(root, 'victim'), join(root, 'link'))
  await nodeFiles(root).writeAtomic('/link', bytes('mine'))
  expect(readFileSync(join(root, 'victim'), 'utf8')).toBe('untouched')
  expect(readFileSync(join(root, 'link'), 'utf8')).toBe('mine')
})

test('nodeFiles refuses a path that a symbolic link among the parents leads out of the root', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'nodewave-outside-'))
  symlinkSync(outside, join(root, 'etc'))
  await expect(nodeFiles(root).writeAtomic('/etc/passwd', bytes('x'))).rejects.toThrow(/a symbolic link leads out of/)
  expect(readdirSync(outside)).toEqual([])
  rmSync(outside, { recursive: true })
})

test.each(['etc/passwd', '/etc/../../passwd', '/a\0b'])('nodeFiles refuses the path %j', async (path) => {
  await expect(nodeFiles(root).read(path)).rejects.toThrow(/refuse the path/)
})

test('nodeFiles appends lines one after the other', async () => {
  const files = nodeFiles(root)
  await files.append('/var/journal.jsonl', '{"a":1}')
  await files.append('/var/journal.jsonl', '{"b":2}')
  expect(readFileSync(join(root, 'var/journal.jsonl'), 'utf8')).toBe('{"a":1}\n{"b":2}\n')
})

test('nodeFiles answers undefined or nothing for what is not there', async () => {
  const files = nodeFiles(root)
  writeFileSync(join(root, 'file'), '')
  expect(await files.read('/none')).toBeUndefined()
  expect(await files.stat('/file/below')).toBeUndefined()
  expect(await files.list('/none')).toEqual([])
  await files.remove('/none/at/all')
})

test('nodeFiles lists sorted and removes a directory with all that is in it', async () => {
  const files = nodeFiles(root)
  mkdirSync(join(root, 'd/e'), { recursive: true })
  writeFileSync(join(root, 'd/b'), '')
  writeFileSync(join(root, 'd/a'), '')
  expect(await files.list('/d')).toEqual(['a', 'b', 'e'])
  await files.remove('/d')
  expect(await files.stat('/d')).toBeUndefined()
})

test('nodeFiles gives the sha256 of a file, and undefined for none', async () => {
  writeFileSync(join(root, 'hello'), 'hello\n')
  expect(await nodeFiles(root).sha256('/hello')).toBe('5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03')
  expect(await nodeFiles(root).sha256('/none')).toBeUndefined()
})

test('nodeFiles creates a file once, readable by root only, and leaves no temporary file', async () => {
  const files = nodeFiles(root)

  expect(await files.create('/state/lock.1', bytes('first'))).toBe(true)
  expect(await files.create('/state/lock.1', bytes('second'))).toBe(false)
  expect(readFileSync(join(root, 'state/lock.1'), 'utf8')).toBe('first')
  expect(statSync(join(root, 'state/lock.1')).mode & 0o7777).toBe(0o600)
  expect(readdirSync(join(root, 'state'))).toEqual(['lock.1'])
})

test('nodeFiles removes a directory only when nothing is in it', async () => {
  const files = nodeFiles(root)
  mkdirSync(join(root, 'a/b'), { recursive: true })
  writeFileSync(join(root, 'file'), '')
  symlinkSync(join(root, 'a'), join(root, 'link'))
  for (const path of ['/a', '/file', '/link', '/not-there', '/file/below', '/a/b']) await files.removeEmpty(path)

  expect(readdirSync(root).sort()).toEqual(['a', 'file', 'link'])
  expect(readdirSync(join(root, 'a'))).toEqual([])
})

test('nodeFiles removes with a file what a crash left of its writing', async () => {
  writeFileSync(join(root, '.config.yaml.nodewave-tmp'), 'half a fi')
  await nodeFiles(root).remove('/config.yaml')

  expect(readdirSync(root)).toEqual([])
})

test('nodeFiles leaves no half file behind a write that fails', async () => {
  mkdirSync(join(root, 'etc/motd/d'), { recursive: true })
  await nodeFiles(root).writeAtomic('/staged', Buffer.from('kubelet'))

  await expect(nodeFiles(root).writeAtomic('/etc/motd', Buffer.from('x'))).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/)
  await expect(nodeFiles(root).install('/staged', '/etc/motd')).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/)
  expect(readdirSync(join(root, 'etc'))).toEqual(['motd'])
})

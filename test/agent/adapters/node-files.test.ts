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
import { HostTree } from '../../../src/agent/adapters/host-tree.ts'
import { nodeFiles } from '../../../src/agent/adapters/node-files.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'nodewave-files-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const files = () => nodeFiles(new HostTree(root, { own: '/state' }))
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

test('nodeFiles writes below its root, makes parents and leaves no temporary file', async () => {
  await files().writeAtomic('/etc/default/kubelet', bytes('A=1\n'), { mode: 0o640 })

  expect(readFileSync(join(root, 'etc/default/kubelet'), 'utf8')).toBe('A=1\n')
  expect(statSync(join(root, 'etc/default/kubelet')).mode & 0o7777).toBe(0o640)
  expect(readdirSync(join(root, 'etc/default'))).toEqual(['kubelet'])
})

test('nodeFiles keeps the mode of a file it replaces when none is asked for', async () => {
  writeFileSync(join(root, 'secret'), 'old')
  chmodSync(join(root, 'secret'), 0o600)
  await files().writeAtomic('/secret', bytes('new'))
  expect(statSync(join(root, 'secret')).mode & 0o7777).toBe(0o600)
})

/** As earlier releases named them. */
const REMAINS = ['.config.yaml.nodewave-tmp', '.config.yaml.4711.nodewave-tmp']

test.each(REMAINS)('nodeFiles removes what an earlier release left, %s, with the next write', async (name) => {
  writeFileSync(join(root, name), 'half a fi')
  await files().writeAtomic('/config.yaml', bytes('whole'))
  expect(readdirSync(root)).toEqual(['config.yaml'])
})

test('nodeFiles installs a copy and keeps the staged file', async () => {
  writeFileSync(join(root, 'staged'), 'binary')
  await files().install('/staged', '/usr/bin/kubelet', { mode: 0o755 })
  expect(readFileSync(join(root, 'usr/bin/kubelet'), 'utf8')).toBe('binary')
  expect(statSync(join(root, 'usr/bin/kubelet')).mode & 0o7777).toBe(0o755)
  expect(readFileSync(join(root, 'staged'), 'utf8')).toBe('binary')
})

test('nodeFiles replaces a symbolic link instead of writing through it', async () => {
  writeFileSync(join(root, 'victim'), 'untouched')
  symlinkSync(join(root, 'victim'), join(root, 'link'))
  await files().writeAtomic('/link', bytes('mine'))
  expect(readFileSync(join(root, 'victim'), 'utf8')).toBe('untouched')
  expect(readFileSync(join(root, 'link'), 'utf8')).toBe('mine')
})

test('nodeFiles takes an absolute link below its root for one within the root, and makes nothing behind it', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'nodewave-outside-'))
  symlinkSync(outside, join(root, 'etc'))
  await expect(files().writeAtomic('/etc/passwd', bytes('x'))).rejects.toThrow(
    `make "/etc/passwd": a symbolic link leads to "/tmp", which is not there`,
  )
  expect(readdirSync(outside)).toEqual([])
  expect(readdirSync(root)).toEqual(['etc'])
  rmSync(outside, { recursive: true })
})

test.each(['etc/passwd', '/etc/../../passwd', '/a\0b'])('nodeFiles refuses the path %j', async (path) => {
  await expect(files().read(path)).rejects.toThrow(/refuse the path/)
})

test('nodeFiles appends lines one after the other', async () => {
  const host = files()
  await host.append('/var/journal.jsonl', '{"a":1}')
  await host.append('/var/journal.jsonl', '{"b":2}')
  expect(readFileSync(join(root, 'var/journal.jsonl'), 'utf8')).toBe('{"a":1}\n{"b":2}\n')
})

test('nodeFiles answers undefined or nothing for what is not there', async () => {
  const host = files()
  writeFileSync(join(root, 'file'), '')
  expect(await host.read('/none')).toBeUndefined()
  expect(await host.stat('/file/below')).toBeUndefined()
  expect(await host.list('/none')).toEqual([])
  await host.remove('/none/at/all')
})

test('nodeFiles lists sorted, and removes a directory with all that is in it only where the agent keeps its own', async () => {
  for (const place of ['d', 'state/d']) {
    mkdirSync(join(root, place, 'e'), { recursive: true })
    for (const name of ['b', 'a', 'e/f']) writeFileSync(join(root, place, name), '')
  }
  expect(await files().list('/d')).toEqual(['a', 'b', 'e'])
  await files().removeTree('/state/d')
  expect(await files().stat('/state/d')).toBeUndefined()

  await expect(files().removeTree('/d')).rejects.toThrow(`remove the directory "/d": it is not the agent's own`)
  await expect(files().removeTree('/state')).rejects.toThrow(`it is not the agent's own`)
  await expect(files().remove('/d')).rejects.toThrow(/EISDIR/)
  expect(await files().list('/d')).toEqual(['a', 'b', 'e'])
})

test('nodeFiles gives the sha256 of a file, and undefined for none', async () => {
  writeFileSync(join(root, 'hello'), 'hello\n')
  expect(await files().sha256('/hello')).toBe('5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03')
  expect(await files().sha256('/none')).toBeUndefined()
})

test('nodeFiles creates a file once, readable by root only, and leaves no temporary file', async () => {
  const host = files()

  expect(await host.create('/state/lock.1', bytes('first'))).toBe(true)
  expect(await host.create('/state/lock.1', bytes('second'))).toBe(false)
  expect(readFileSync(join(root, 'state/lock.1'), 'utf8')).toBe('first')
  expect(statSync(join(root, 'state/lock.1')).mode & 0o7777).toBe(0o600)
  expect(readdirSync(join(root, 'state'))).toEqual(['lock.1'])
})

test('nodeFiles removes a directory only when nothing is in it', async () => {
  const host = files()
  mkdirSync(join(root, 'a/b'), { recursive: true })
  writeFileSync(join(root, 'file'), '')
  symlinkSync(join(root, 'a'), join(root, 'link'))
  for (const path of ['/a', '/file', '/link', '/not-there', '/file/below', '/a/b']) await host.removeEmpty(path)

  expect(readdirSync(root).sort()).toEqual(['a', 'file', 'link'])
  expect(readdirSync(join(root, 'a'))).toEqual([])
})

test.each(REMAINS)('nodeFiles removes what an earlier release left, %s, with the file', async (name) => {
  writeFileSync(join(root, name), 'half a fi')
  await files().remove('/config.yaml')

  expect(readdirSync(root)).toEqual([])
})

test('nodeFiles leaves no half file behind a write that fails', async () => {
  mkdirSync(join(root, 'etc/motd/d'), { recursive: true })
  await files().writeAtomic('/staged', Buffer.from('kubelet'))

  await expect(files().writeAtomic('/etc/motd', Buffer.from('x'))).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/)
  await expect(files().install('/staged', '/etc/motd')).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/)
  expect(readdirSync(join(root, 'etc'))).toEqual(['motd'])
})

test.runIf(process.getuid?.() === 0)('nodeFiles changes the owner or the group of a file, and leaves the other', async () => {
  writeFileSync(join(root, 'owned'), 'old')
  await files().writeAtomic('/owned', bytes('new'), { uid: 12_345 })
  expect(statSync(join(root, 'owned'))).toMatchObject({ uid: 12_345, gid: process.getgid?.() })
  writeFileSync(join(root, 'grouped'), 'old')
  await files().writeAtomic('/grouped', bytes('new'), { gid: 54_321 })
  expect(statSync(join(root, 'grouped'))).toMatchObject({ uid: 0, gid: 54_321 })
})

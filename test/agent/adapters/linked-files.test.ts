import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { HostTree } from '../../../src/agent/adapters/host-tree.ts'
import { nodeFiles } from '../../../src/agent/adapters/node-files.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'nodewave-links-'))
  mkdirSync(join(root, 'bin'))
  writeFileSync(join(root, 'bin/kubelet'), 'old')
  chmodSync(join(root, 'bin/kubelet'), 0o750)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (path: string): string => readFileSync(join(root, path), 'utf8')
const inode = (path: string): number => statSync(join(root, path)).ino
const ownership = () => ownershipOf('bin/kubelet')

test('keep costs no copy, and what it kept stays when the file is replaced', async () => {
  const files = nodeFiles(new HostTree(root))
  await files.keep('/bin/kubelet', '/state/backups/1')
  expect(inode('state/backups/1')).toBe(inode('bin/kubelet'))
  await files.writeAtomic('/bin/kubelet', bytes('new'))

  expect([text('state/backups/1'), text('bin/kubelet')]).toEqual(['old', 'new'])
})

test('keep takes the place of what an earlier attempt kept', async () => {
  const files = nodeFiles(new HostTree(root))
  await files.keep('/bin/kubelet', '/backup')
  await files.writeAtomic('/bin/kubelet', bytes('new'))
  await files.keep('/bin/kubelet', '/backup')
  await files.keep('/bin/kubelet', '/backup')

  expect(text('backup')).toBe('new')
})

test('restore puts the very file back, however often it is done, and leaves no temporary file', async () => {
  const files = nodeFiles(new HostTree(root))
  const original = inode('bin/kubelet')
  const before = ownership()
  await files.keep('/bin/kubelet', '/backup')
  await files.writeAtomic('/bin/kubelet', bytes('new'), { mode: 0o700 })
  for (let times = 0; times < 3; times++) {
    await files.restore('/backup', '/bin/kubelet', before)
    expect([text('bin/kubelet'), inode('bin/kubelet'), statSync(join(root, 'bin/kubelet')).mode & 0o7777]).toEqual([
      'old',
      original,
      0o750,
    ])
  }
  expect(readdirSync(join(root, 'bin'))).toEqual(['kubelet'])
  expect(text('backup')).toBe('old')
})

test('restore of what was not yet replaced leaves it as it is', async () => {
  const files = nodeFiles(new HostTree(root))
  await files.keep('/bin/kubelet', '/backup')
  await files.restore('/backup', '/bin/kubelet', ownership())

  expect(text('bin/kubelet')).toBe('old')
  expect(readdirSync(join(root, 'bin'))).toEqual(['kubelet'])
})

test('restore makes a copy when mode or owner have to be others, and leaves what was kept alone', async () => {
  const files = nodeFiles(new HostTree(root))
  await files.keep('/bin/kubelet', '/backup')
  await files.writeAtomic('/bin/kubelet', bytes('new'))
  await files.restore('/backup', '/bin/kubelet', { ...ownership(), mode: 0o755 })

  expect([statSync(join(root, 'bin/kubelet')).mode & 0o7777, statSync(join(root, 'backup')).mode & 0o7777]).toEqual([
    0o755, 0o750,
  ])
  expect(text('bin/kubelet')).toBe('old')
})

test('restore makes the parents that were taken away', async () => {
  const files = nodeFiles(new HostTree(root))
  await files.keep('/bin/kubelet', '/backup')
  rmSync(join(root, 'bin'), { recursive: true })
  await files.restore('/backup', '/bin/kubelet', ownershipOf('backup'))

  expect(text('bin/kubelet')).toBe('old')
})

const SHARED_MEMORY = '/dev/shm'
const isOtherFileSystem = existsSync(SHARED_MEMORY) && statSync(SHARED_MEMORY).dev !== statSync(tmpdir()).dev

test.runIf(isOtherFileSystem)(
  'keep and restore make copies between two file systems, readable by root only meanwhile',
  async () => {
    const other = mkdtempSync(join(SHARED_MEMORY, 'nodewave-links-'))
    onTestFinished(() => rmSync(other, { recursive: true }))
    const files = nodeFiles()
    const before = ownership()
    await files.keep(join(root, 'bin/kubelet'), join(other, 'backup'))
    expect(statSync(join(other, 'backup')).mode & 0o7777).toBe(0o600)
    await files.writeAtomic(join(root, 'bin/kubelet'), bytes('new'))
    await files.restore(join(other, 'backup'), join(root, 'bin/kubelet'), before)

    expect(text('bin/kubelet')).toBe('old')
    expect(ownership()).toEqual(before)
  },
)

function ownershipOf(path: string) {
  const { mode, uid, gid } = statSync(join(root, path))
  return { mode: mode & 0o7777, uid, gid }
}

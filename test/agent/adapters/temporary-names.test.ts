import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { replace } from '../../../src/agent/adapters/durable-writes.ts'
import { HostTree } from '../../../src/agent/adapters/host-tree.ts'
import { nodeFiles } from '../../../src/agent/adapters/node-files.ts'
import { removeTemporaries } from '../../../src/agent/adapters/temporary-names.ts'
import type { HostFiles } from '../../../src/agent/ports.ts'

const LONGEST = 'n'.repeat(255)

let root = ''
let tree: HostTree
let files: HostFiles
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'nodewave-temporary-'))
  mkdirSync(join(root, 'etc'))
  writeFileSync(join(root, 'staged'), 'staged')
  tree = new HostTree(root)
  files = nodeFiles(tree)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const names = (): string[] => readdirSync(join(root, 'etc')).sort()

/** An agent dies while it writes this file. */
async function dieWriting(path: string): Promise<void> {
  const dead = Promise.withResolvers<never>()
  const half = Promise.withResolvers<void>()
  const target = tree.make(path)
  void replace(target, {}, (temporary) => {
    writeFileSync(temporary, 'half a fi')
    half.resolve()
    return dead.promise
  })
  await half.promise
}

test.each<[string, (path: string) => Promise<unknown>]>([
  ['writeAtomic', (path) => files.writeAtomic(path, bytes('new'))],
  ['install', (path) => files.install('/staged', path)],
  ['restore', (path) => files.restore('/staged', path, { mode: 0o644, uid: 0, gid: 0 })],
  ['link', (path) => files.link(path, '/staged')],
])('%s removes what a crash left beside the file, and nothing of another file', async (_, write) => {
  for (const path of ['/etc/a', '/etc/a.b']) await dieWriting(path)
  expect(names().length).toBe(2)
  await write('/etc/a')

  expect(names().map((name) => name.replace(/[0-9a-f]{16}/, '…'))).toEqual(['.a.b.….nodewave-tmp', 'a'])
})

test.each(['a', LONGEST])('remove removes what a crash left beside the file %s', async (name) => {
  await dieWriting(`/etc/${name}`)
  expect(names().length).toBe(1)
  await files.remove(`/etc/${name}`)

  expect(names()).toEqual([])
})

test('nodeFiles writes a file whose name is as long as a name can be', async () => {
  await files.writeAtomic(`/etc/${LONGEST}`, bytes('new'))

  expect(readFileSync(join(root, 'etc', LONGEST), 'utf8')).toBe('new')
  expect(names()).toEqual([LONGEST])
})

test('nodeFiles fails with the same message each time that the same goes wrong', async () => {
  mkdirSync(join(root, 'etc/a/d'), { recursive: true })
  const message = "EISDIR: illegal operation on a directory, rename '/etc/.a.*.nodewave-tmp' -> '/etc/a'"

  await expect(files.writeAtomic('/etc/a', bytes('x'))).rejects.toMatchObject({ message, path: '/etc/.a.*.nodewave-tmp' })
  await expect(files.writeAtomic('/etc/a', bytes('x'))).rejects.toMatchObject({ message })
})

test('create makes no file, and does not fail, when another agent takes what it has under way for remains of a crash', async () => {
  using target = tree.make('/etc/lock.1')
  for (let round = 0; round < 30; round++) {
    const [isMade] = await Promise.all([
      files.create('/etc/lock.1', bytes('x')),
      removeTemporaries(target),
      removeTemporaries(target),
    ])
    expect(names()).toEqual(isMade ? ['lock.1'] : [])
    await files.remove('/etc/lock.1')
  }
})

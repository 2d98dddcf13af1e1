import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HostTree } from '../../../src/agent/adapters/host-tree.ts'
import { nodeFiles } from '../../../src/agent/adapters/node-files.ts'
import type { HostFiles } from '../../../src/agent/ports.ts'
import { everyUse } from '../support/every-use.ts'

/** Of nobody on most machines; only root can give a file away. */
const STRANGER = 65534

let root = ''
let files: HostFiles
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'nodewave-strangers-')))
  files = nodeFiles(new HostTree(root, { own: '/var/lib/nodewave' }))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const at = (path: string): string => join(root, path)
const directory = (path: string, permissions = 0o755): void => {
  mkdirSync(at(path), { recursive: true })
  chmodSync(at(path), permissions)
}

test.for(everyUse)("nodeFiles refuses to %s below somebody's own directory", async ([, work]) => {
  directory('home/app/conf')
  chownSync(at('home/app'), STRANGER, STRANGER)
  writeFileSync(at('staged'), 'x')

  await expect(work(files, '/home/app/conf/a.conf')).rejects.toMatchObject({
    kind: 'validate',
    reason: 'UnsafePath',
    message: `failed to validate config: use "/home/app/conf/a.conf": uid 65534 owns the directory "/home/app" and can redirect the agent; run: chown root: /home/app`,
  })
  expect(readdirSync(at('home/app/conf'))).toEqual([])
})

test('nodeFiles follows no link that a user made, wherever it is', async () => {
  directory('etc')
  directory('target')
  symlinkSync('../target', at('etc/link'))
  await files.stat('/etc/link/a')
  lchownSync(at('etc/link'), STRANGER, STRANGER)

  await expect(files.stat('/etc/link/a')).rejects.toThrow(`"/etc/link" is a symbolic link, of uid 65534`)
  await expect(files.read('/etc/link')).rejects.toThrow(`"/etc/link" is a symbolic link, of uid 65534`)
})

test.each(['/proc/self/root', '/proc/thread-self/root'])(
  'nodeFiles follows no link of a process: %s would be a second name of every file',
  async (link) => {
    writeFileSync(at('policy.yaml'), 'x')
    const machine = nodeFiles(new HostTree('/'))
    const path = `${link}${at('policy.yaml')}`
    for (const use of [machine.stat(path), machine.read(path), machine.remove(path)])
      await expect(use).rejects.toMatchObject({ kind: 'validate', reason: 'UnsafePath' })
    expect(readFileSync(at('policy.yaml'), 'utf8')).toBe('x')
  },
)

test("nodeFiles works with what is root's in a sticky directory, and with nothing else there", async () => {
  directory('tmp/ours', 0o755)
  directory('tmp/theirs', 0o755)
  chmodSync(at('tmp'), 0o1777)
  chownSync(at('tmp/theirs'), STRANGER, STRANGER)
  writeFileSync(at('tmp/file'), 'bait')
  chownSync(at('tmp/file'), STRANGER, STRANGER)
  await files.writeAtomic('/tmp/ours/a', bytes('a'))
  await files.writeAtomic('/tmp/b', bytes('b'))

  expect([readFileSync(at('tmp/ours/a'), 'utf8'), readFileSync(at('tmp/b'), 'utf8')]).toEqual(['a', 'b'])
  await expect(files.writeAtomic('/tmp/theirs/a', bytes('x'))).rejects.toThrow('uid 65534 owns the directory "/tmp/theirs"')
  await expect(files.writeAtomic('/tmp/file', bytes('x'))).rejects.toThrow(
    '"/tmp/file" is there, of uid 65534, and others than root may have made it; remove it, or name another path',
  )
})

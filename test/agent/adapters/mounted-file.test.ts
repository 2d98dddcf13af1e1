/** A file that is mounted over, as containers have /etc/resolv.conf, and one that nobody may change. Both need root. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { HostTree } from '../../../src/agent/adapters/host-tree.ts'
import { nodeFiles } from '../../../src/agent/adapters/node-files.ts'

const isRoot = process.getuid?.() === 0

function aRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'nodewave-mounted-'))
  mkdirSync(join(root, 'etc'))
  for (const name of ['source', 'etc/hosts']) writeFileSync(join(root, name), name)
  return root
}

function can(program: string, ...args: readonly string[]): boolean {
  try {
    execFileSync(program, [...args], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

test.runIf(isRoot)(
  'nodeFiles says that something is mounted in the place of a file, and leaves nothing beside it',
  async ({ skip }) => {
    const root = aRoot()
    const [path, files] = [join(root, 'etc/hosts'), nodeFiles(new HostTree(root))]
    skip(!can('mount', '--bind', join(root, 'source'), path), 'nothing can be mounted here')
    const reason = 'something is mounted in its place: change what is mounted, or unmount it'
    await expect(files.writeAtomic('/etc/hosts', Buffer.from('ours'))).rejects.toThrow(reason)
    await expect(files.remove('/etc/hosts')).rejects.toThrow(reason)

    expect(readdirSync(join(root, 'etc'))).toEqual(['hosts'])
    execFileSync('umount', [path])
    rmSync(root, { recursive: true })
  },
)

test.runIf(isRoot)('nodeFiles says that a file may be immutable', async ({ skip }) => {
  const root = aRoot()
  const [path, files] = [join(root, 'etc/hosts'), nodeFiles(new HostTree(root))]
  skip(!can('chattr', '+i', path), 'the file system here has no such attribute')
  const reason = 'it may be immutable: see lsattr'
  await expect(files.writeAtomic('/etc/hosts', Buffer.from('ours'))).rejects.toThrow(reason)
  await expect(files.remove('/etc/hosts')).rejects.toThrow(reason)

  expect(readdirSync(join(root, 'etc'))).toEqual(['hosts'])
  execFileSync('chattr', ['-i', path])
  rmSync(root, { recursive: true })
})

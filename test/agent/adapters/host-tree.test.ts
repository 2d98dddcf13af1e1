import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
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
import type { HostFiles } from '../../../src/agent/ports.ts'
import { everyUse } from '../support/every-use.ts'

let root = ''
let files: HostFiles
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'nodewave-tree-')))
  files = nodeFiles(new HostTree(root, { own: '/var/lib/nodewave' }))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const at = (path: string): string => join(root, path)
const mode = (path: string): number => statSync(at(path)).mode & 0o7777
const directory = (path: string, permissions = 0o755): void => {
  mkdirSync(at(path), { recursive: true })
  chmodSync(at(path), permissions)
}

test.for(everyUse)('nodeFiles refuses to %s below a directory that others may write, and names it', async ([, work]) => {
  for (const permissions of [0o777, 0o775, 0o757]) {
    directory('srv/open/etc')
    chmodSync(at('srv/open'), permissions)
    writeFileSync(at('staged'), 'x')
    const before = readdirSync(at('srv/open'), { recursive: true })

    await expect(work(files, '/srv/open/etc/a.conf')).rejects.toThrow(
      `failed to validate config: use "/srv/open/etc/a.conf": others than root may write the directory "/srv/open" (mode ${permissions.toString(8)}) and can redirect the agent; run: chmod go-w /srv/open`,
    )
    expect(readdirSync(at('srv/open'), { recursive: true })).toEqual(before)
  }
})

test('nodeFiles follows links of root in directories of root, as distributions have them', async () => {
  directory('usr/lib/systemd')
  symlinkSync('usr/lib', at('lib'))
  symlinkSync('/run', at('var-run'))
  directory('run')
  directory('deep/er')
  symlinkSync('../../usr/./lib/../lib', at('deep/er/back'))
  await files.writeAtomic('/lib/systemd/a.conf', bytes('a'))
  await files.writeAtomic('/var-run/b/c', bytes('b'))
  await files.writeAtomic('/deep/er/back/d', bytes('d'))

  expect([readFileSync(at('usr/lib/systemd/a.conf'), 'utf8'), readFileSync(at('run/b/c'), 'utf8')]).toEqual(['a', 'b'])
  expect(readFileSync(at('usr/lib/d'), 'utf8')).toBe('d')
  expect(await files.list('/lib')).toEqual(['d', 'systemd'])
})

test('nodeFiles reads through a link of root, and replaces the link itself when it writes', async () => {
  directory('run')
  directory('etc')
  writeFileSync(at('run/resolv.conf'), 'stub')
  symlinkSync('../run/resolv.conf', at('etc/resolv.conf'))

  expect((await files.stat('/etc/resolv.conf'))?.type).toBe('symlink')
  expect(Buffer.from((await files.read('/etc/resolv.conf')) ?? []).toString()).toBe('stub')
  await files.writeAtomic('/etc/resolv.conf', bytes('own'))
  expect([readFileSync(at('run/resolv.conf'), 'utf8'), readFileSync(at('etc/resolv.conf'), 'utf8')]).toEqual(['stub', 'own'])
})

test('nodeFiles follows no link in a directory where everybody may make one, whoever owns it', async () => {
  directory('tmp', 0o1777)
  directory('target')
  symlinkSync('../target', at('tmp/link'))

  await expect(files.writeAtomic('/tmp/link/a', bytes('x'))).rejects.toThrow('"/tmp/link" is a symbolic link')
  await expect(files.writeAtomic('/tmp/link', bytes('x'))).rejects.toThrow('"/tmp/link" is a symbolic link')
  expect(readdirSync(at('target'))).toEqual([])
})

test('nodeFiles makes nothing behind a link whose disk is not mounted', async () => {
  symlinkSync('/data/conf', at('conf'))
  directory('data')

  await expect(files.writeAtomic('/conf/a', bytes('x'))).rejects.toThrow(
    'a symbolic link leads to "/data/conf", which is not there',
  )
  expect(await files.read('/conf/a')).toBeUndefined()
  expect(readdirSync(at('data'))).toEqual([])
})

test('nodeFiles does not leave its root by links, and ends in a circle of them', async () => {
  symlinkSync('../../../../..', at('up'))
  symlinkSync('circle', at('circle'))
  writeFileSync(at('here'), 'below the root')

  expect(Buffer.from((await files.read('/up/here')) ?? []).toString()).toBe('below the root')
  expect(await files.list('/up')).toEqual(['circle', 'here', 'up'])
  await expect(files.read('/circle/a')).rejects.toThrow('more than 40 symbolic links')
  await expect(files.read('/circle')).rejects.toThrow('more than 40 symbolic links')
  await expect(files.stat('/circle/a')).rejects.toMatchObject({ code: 'ELOOP' })
})

test('nodeFiles lets nobody but root into the state directory, whatever is done there first, and also when somebody opened it', async () => {
  await files.writeAtomic('/var/lib/nodewave/backups/1/0', bytes('secret'), { mode: 0o644 })
  expect([mode('var'), mode('var/lib'), mode('var/lib/nodewave')]).toEqual([0o755, 0o755, 0o700])
  expect([mode('var/lib/nodewave/backups'), mode('var/lib/nodewave/backups/1')]).toEqual([0o700, 0o700])
  chmodSync(at('var/lib/nodewave'), 0o755)
  await files.read('/var/lib/nodewave/backups/1/0')
  expect(mode('var/lib/nodewave')).toBe(0o700)
})

test('nodeFiles makes directories that everybody may enter, whatever the umask', () => {
  const adapters = join(import.meta.dirname, '../../../src/agent/adapters')
  const program = `
    process.umask(0o077)
    const { nodeFiles } = await import('${adapters}/node-files.ts')
    const { HostTree } = await import('${adapters}/host-tree.ts')
    await nodeFiles(new HostTree('${root}')).writeAtomic('/etc/new/a.conf', Buffer.from('a'))`
  execFileSync(process.execPath, ['--input-type=module', '--eval', program])

  expect([mode('etc/new'), mode('etc/new/a.conf')]).toEqual([0o755, 0o644])
})

test('nodeFiles removes links in its own directory, and nothing behind them', async () => {
  directory('precious')
  writeFileSync(at('precious/file'), 'x')
  directory('var/lib/nodewave/staging/deep')
  symlinkSync(at('precious'), at('var/lib/nodewave/staging/deep/link'))
  symlinkSync(at('precious'), at('var/lib/nodewave/other'))
  await files.removeTree('/var/lib/nodewave/staging')
  await files.removeTree('/var/lib/nodewave/other')

  expect(readdirSync(at('var/lib/nodewave'))).toEqual([])
  expect(readdirSync(at('precious'))).toEqual(['file'])
})

test('nodeFiles neither copies nor keeps what a link names, and waits for no pipe', async () => {
  directory('etc')
  writeFileSync(at('shadow'), 'secret')
  symlinkSync('../shadow', at('etc/link'))
  execFileSync('mkfifo', [at('etc/pipe')])

  await expect(files.install('/etc/link', '/copy')).rejects.toThrow(/ELOOP/)
  await expect(files.keep('/etc/link', '/kept')).rejects.toThrow(/ELOOP/)
  await expect(files.append('/etc/link', 'x')).rejects.toThrow(/ELOOP/)
  await expect(files.read('/etc/pipe')).rejects.toThrow('open "/etc/pipe": no regular file')
  await expect(files.sha256('/etc/pipe')).rejects.toThrow('no regular file')
  expect(readFileSync(at('shadow'), 'utf8')).toBe('secret')
  expect(existsSync(at('copy'))).toBe(false)
})

test('nodeFiles keeps set-user-id bits and owner of what it replaces, and changes the file that it made alone', async () => {
  writeFileSync(at('tool'), 'old')
  chmodSync(at('tool'), 0o4750)
  const old = lstatSync(at('tool')).ino
  linkSync(at('tool'), at('other-name'))
  await files.writeAtomic('/tool', bytes('new'), { mode: 0o4755 })

  expect([mode('tool'), mode('other-name'), lstatSync(at('other-name')).ino]).toEqual([0o4755, 0o4750, old])
})

test('an error on the way names the path as the host does', async () => {
  directory('etc')
  const name = 'a'.repeat(300)
  const error = await files.stat(`/etc/${name}/b`).catch((thrown: unknown) => thrown)

  expect(error).toMatchObject({ code: 'ENAMETOOLONG', path: `/etc/${name}` })
  expect(String(error)).not.toContain('/proc/self')
})

test('nodeFiles closes another state directory that stands in the place of the one it knows, and uses that', async () => {
  await files.writeAtomic('/var/lib/nodewave/outcome', bytes('old'))
  renameSync(at('var/lib/nodewave'), at('var/lib/aside'))
  directory('var/lib/nodewave', 0o755)
  await files.writeAtomic('/var/lib/nodewave/outcome', bytes('new'))

  const texts = [readFileSync(at('var/lib/aside/outcome'), 'utf8'), readFileSync(at('var/lib/nodewave/outcome'), 'utf8')]
  expect([texts, mode('var/lib/nodewave')]).toEqual([['old', 'new'], 0o700])
})

test('nodeFiles makes the state directory that it knows again when it is removed', async () => {
  await files.writeAtomic('/var/lib/nodewave/outcome', bytes('old'))
  rmSync(at('var/lib/nodewave'), { recursive: true })

  expect(await files.read('/var/lib/nodewave/outcome')).toBeUndefined()
  await files.writeAtomic('/var/lib/nodewave/outcome', bytes('new'))
  expect(mode('var/lib/nodewave')).toBe(0o700)
})

test('nodeFiles refuses another state directory that others may have put in the place of the one it knows', async () => {
  await files.writeAtomic('/var/lib/nodewave/outcome', bytes('old'))
  chmodSync(at('var/lib'), 0o777)
  renameSync(at('var/lib/nodewave'), at('var/lib/aside'))
  directory('var/lib/nodewave', 0o700)

  await expect(files.read('/var/lib/nodewave/outcome')).rejects.toThrow('others than root may write the directory "/var/lib"')
})

test('nodeFiles follows links within the state directory that it knows, from the root on', async () => {
  await files.writeAtomic('/var/lib/nodewave/outcome', bytes('old'))
  directory('data/store')
  symlinkSync('/data/store', at('var/lib/nodewave/store'))
  symlinkSync('../../../data', at('var/lib/nodewave/data'))
  await files.writeAtomic('/var/lib/nodewave/store/a', bytes('a'))
  await files.writeAtomic('/var/lib/nodewave/data/b', bytes('b'))

  expect([readFileSync(at('data/store/a'), 'utf8'), readFileSync(at('data/b'), 'utf8')]).toEqual(['a', 'b'])
})

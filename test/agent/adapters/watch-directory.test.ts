import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { directoryWatch } from '../../../src/agent/adapters/watch-directory.ts'
import { DirectoryWatches } from '../../../src/agent/loop/directory-watches.ts'

const SILENT = { info: () => {}, warn: () => {} }

/** A directory that stands for the host's `/`, with `/etc/tuned/a` in it, which is watched. */
class Watched {
  readonly root = mkdtempSync(join(tmpdir(), 'nodewave-watch-'))
  readonly watches: DirectoryWatches
  #seen: (paths: readonly string[]) => void = () => {}

  constructor() {
    const ports = { log: SILENT, watchDirectory: directoryWatch(this.at) }
    this.watches = new DirectoryWatches(ports, (paths) => this.#seen(paths))
  }

  readonly at = (path: string): string => join(this.root, path)

  /** @returns the first paths of which a watch tells after this was done. */
  async after(change: () => void): Promise<readonly string[]> {
    const seen = new Promise<readonly string[]>((resolve) => {
      this.#seen = resolve
    })
    change()
    return seen
  }
}

async function watched(): Promise<Watched> {
  const host = new Watched()
  onTestFinished(() => {
    host.watches.close()
    rmSync(host.root, { recursive: true })
  })
  mkdirSync(host.at('/etc/tuned'), { recursive: true })
  writeFileSync(host.at('/etc/tuned/a'), 'ours\n')
  symlinkSync('a', host.at('/etc/tuned/link'))
  await host.watches.follow(['/etc/tuned/a', '/etc/tuned/link'])
  return host
}

const FILE = '/etc/tuned/a'

test.each<[string, (host: Watched) => void]>([
  ['written in place', ({ at }) => writeFileSync(at(FILE), 'changed\n')],
  [
    'replaced by a rename',
    ({ at }) => {
      writeFileSync(at('/etc/tuned/.new'), 'changed\n')
      renameSync(at('/etc/tuned/.new'), at(FILE))
    },
  ],
  ['renamed', ({ at }) => renameSync(at(FILE), at('/etc/tuned/old'))],
  ['removed', ({ at }) => unlinkSync(at(FILE))],
])('watch tells of a file that is %s', async (_, change) => {
  const host = await watched()

  expect(await host.after(() => change(host))).toEqual([FILE])
})

test('watch tells of a link that is swapped', async () => {
  const host = await watched()
  const paths = await host.after(() => {
    symlinkSync('elsewhere', host.at('/etc/tuned/.new'))
    renameSync(host.at('/etc/tuned/.new'), host.at('/etc/tuned/link'))
  })

  expect(paths).toEqual(['/etc/tuned/link'])
})

test('watch tells of a directory that is replaced, and of files in the new one after it was renewed', async () => {
  const host = await watched()
  const paths = await host.after(() => {
    renameSync(host.at('/etc/tuned'), host.at('/etc/old'))
    mkdirSync(host.at('/etc/tuned'))
    writeFileSync(host.at(FILE), 'theirs\n')
  })
  expect(paths).toEqual([FILE, '/etc/tuned/link'])
  await host.watches.renew()

  expect(await host.after(() => unlinkSync(host.at(FILE)))).toEqual([FILE])
})

test('watch tells of a directory that is removed, and of one that is made again', async () => {
  const host = await watched()
  const both = [FILE, '/etc/tuned/link']
  expect(await host.after(() => unlinkSync(host.at(FILE)))).toEqual([FILE])
  expect(await host.after(() => rmSync(host.at('/etc'), { recursive: true }))).toContain('/etc/tuned/link')
  await host.watches.renew()

  expect(await host.after(() => mkdirSync(host.at('/etc/tuned'), { recursive: true }))).toEqual(both)
})

test('watch of a directory that is missing, or is none, fails with the code of the system', async () => {
  const host = await watched()
  const watch = directoryWatch(host.at)

  await expect(watch('/none', () => {})).rejects.toMatchObject({ code: 'ENOENT' })
  await expect(watch(FILE, () => {})).rejects.toMatchObject({ code: 'ENOTDIR' })
})

test('watch tells nothing of a file that is only read', async () => {
  const host = await watched()
  const paths = await host.after(() => {
    expect(readFileSync(host.at(FILE), 'utf8')).toBe('ours\n')
    unlinkSync(host.at('/etc/tuned/link'))
  })

  expect(paths).toEqual(['/etc/tuned/link'])
})

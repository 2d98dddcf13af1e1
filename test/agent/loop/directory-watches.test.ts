import { expect, test } from 'vitest'
import { DirectoryWatches } from '../../../src/agent/loop/directory-watches.ts'
import type { WatchDirectory } from '../../../src/agent/ports.ts'

/** Watches that tell what the test has them tell. */
class FakeWatches {
  readonly open = new Map<string, (name: string | undefined) => void>()
  readonly changes: (readonly string[])[] = []
  readonly logged: string[] = []
  /** Codes of the errors of directories that cannot be watched. */
  readonly refused = new Map<string, string>()
  tries = 0
  readonly watches: DirectoryWatches

  constructor() {
    const note = (message: string, fields?: object): void => void this.logged.push(`${message} ${JSON.stringify(fields)}`)
    const ports = { watchDirectory: this.#watch, log: { info: note, warn: note } }
    this.watches = new DirectoryWatches(ports, (paths) => void this.changes.push(paths))
  }

  tell(directory: string, name: string | undefined): void {
    this.open.get(directory)?.(name)
  }

  get directories(): string[] {
    return [...this.open.keys()].sort()
  }

  readonly #watch: WatchDirectory = async (directory, onEvent) => {
    this.tries++
    const code = this.refused.get(directory)
    if (code !== undefined) throw Object.assign(new Error(code), { code })
    this.open.set(directory, onEvent)
    return () => void this.open.delete(directory)
  }
}

async function following(...paths: string[]): Promise<FakeWatches> {
  const fake = new FakeWatches()
  await fake.watches.follow(paths)
  return fake
}

test('watches tell of the names that count, and of no others', async () => {
  const fake = await following('/etc/motd', '/etc/issue')
  for (let count = 0; count < 1000; count++) fake.tell('/etc', `.other-${count}`)
  expect(fake.changes).toEqual([])
  fake.tell('/etc', 'motd')

  expect(fake.changes).toEqual([['/etc/motd']])
})

test('directory that is replaced changes all that is below, and is watched again with the next look', async () => {
  const fake = await following('/etc/tuned/a', '/etc/tuned/deep/b', '/etc/motd')
  fake.tell('/etc', 'tuned')
  expect(fake.changes).toEqual([['/etc/tuned/a', '/etc/tuned/deep/b']])
  expect(fake.directories).toEqual(['/', '/etc'])
  await fake.watches.renew()

  expect(fake.directories).toEqual(['/', '/etc', '/etc/tuned', '/etc/tuned/deep'])
})

test.each(['tuned', undefined])('directory that tells %j of itself is watched again with the next look', async (name) => {
  const fake = await following('/etc/tuned/a', '/etc/motd')
  fake.tell('/etc/tuned', name)
  expect(fake.changes).toEqual([['/etc/tuned/a']])
  expect(fake.directories).toEqual(['/', '/etc'])
  await fake.watches.renew()

  expect(fake.directories).toEqual(['/', '/etc', '/etc/tuned'])
})

test('directory that is missing is no trouble: the one above is watched until it is there', async () => {
  const fake = new FakeWatches()
  fake.refused.set('/etc/tuned', 'ENOENT')
  await fake.watches.follow(['/etc/tuned/a'])
  expect([fake.directories, fake.logged]).toEqual([['/', '/etc'], []])
  fake.refused.clear()
  fake.tell('/etc', 'tuned')
  await fake.watches.renew()

  expect(fake.changes).toEqual([['/etc/tuned/a']])
  expect(fake.directories).toEqual(['/', '/etc', '/etc/tuned'])
})

test('limit of the host is logged once, ends the attempts, and is tried again with the next look', async () => {
  const fake = new FakeWatches()
  fake.refused.set('/etc', 'ENOSPC').set('/etc/tuned', 'ENOSPC')
  await fake.watches.follow(['/etc/tuned/a'])
  await fake.watches.renew()
  expect(fake.logged).toEqual([
    'not all directories are watched: the regular look finds what is changed there {"because":"ENOSPC","watched":0,"of":3}',
  ])
  expect(fake.tries).toBe(2)
  fake.refused.clear()
  await fake.watches.renew()

  expect(fake.directories).toEqual(['/', '/etc', '/etc/tuned'])
})

test('directory that cannot be watched keeps no other from being watched', async () => {
  const fake = new FakeWatches()
  fake.refused.set('/etc', 'EACCES')
  await fake.watches.follow(['/etc/motd', '/srv/a'])

  expect(fake.directories).toEqual(['/', '/srv'])
  expect(fake.logged).toHaveLength(1)
})

test('an archive of a thousand directories takes no more than 256 watches', async () => {
  const fake = await following(...Array.from({ length: 1000 }, (_, index) => `/srv/${index}/file`))

  expect(fake.directories).toHaveLength(256)
  expect(fake.logged[0]).toContain('"because":"limit of 256 directories","watched":256,"of":1002')
})

test('what is not followed any more is not watched any more', async () => {
  const fake = await following('/etc/tuned/a', '/srv/b')
  await fake.watches.follow(['/srv/b'])
  expect(fake.directories).toEqual(['/', '/srv'])
  fake.watches.close()

  expect(fake.directories).toEqual([])
})

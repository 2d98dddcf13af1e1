import { randomBytes } from 'node:crypto'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PackFolder } from '../../src/gitsync/pack-folder.ts'
import { type GitFixture, gitFixture } from './git-fixture.ts'

/** Files that are like each other, so that Git packs them as deltas; and one that does not compress. */
async function packed(it: GitFixture): Promise<Map<string, string>> {
  const lines = Array.from({ length: 300 }, (_, n) => `line ${n} ${randomBytes(20).toString('hex')}`)
  const files = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`${n}.yaml`, lines.with(n * 10, 'other').join('\n')]))
  await it.commit('alike', { ...files, empty: '', large: randomBytes(150_000).toString('latin1') })
  await it.git('repack', '-adfq', '--depth=20')
  const all = await it.git('cat-file', '--batch-check', '--batch-all-objects')
  return new Map(all.split('\n').map((line) => line.split(' ') as [string, string]))
}

async function packOf(it: GitFixture): Promise<string> {
  const folder = join(it.work, '.git/objects/pack')
  const name = (await readdir(folder)).find((each) => each.endsWith('.pack')) ?? ''
  return join(folder, name)
}

test.for([
  ['short offsets', undefined],
  ['long offsets', '2,0x40'],
] as const)('PackFolder reads every object of a pack of real Git (%s)', async ([, version]) => {
  await using it = await gitFixture()
  const types = await packed(it)
  if (version) {
    await rm((await packOf(it)).replace('.pack', '.idx'))
    await it.git('index-pack', `--index-version=${version}`, await packOf(it))
  }
  expect(await it.git('verify-pack', '-v', (await packOf(it)).replace('.pack', '.idx'))).toContain('chain length = ')
  await using folder = new PackFolder(join(it.work, '.git'))
  const read = new Map<string, string>()
  // Each is what its id says, or reading it fails.
  for (const id of types.keys()) read.set(id, (await folder.read(id))?.type ?? 'nothing')
  expect(read).toEqual(types)
})

test('PackFolder finds nothing where an object is loose, nor in an index of version 1', async () => {
  await using it = await gitFixture()
  const commit = await it.commit('first', { a: '1' })
  await using loose = new PackFolder(join(it.work, '.git'))
  expect(await loose.read(commit)).toBeUndefined()
  await it.git('-c', 'pack.indexVersion=1', 'repack', '-adq')
  await using old = new PackFolder(join(it.work, '.git'))
  expect(await old.read(commit)).toBeUndefined()
})

test('PackFolder refuses a pack that was damaged, at each of its bytes that count', async () => {
  await using it = await gitFixture()
  await it.commit('first', { a: 'some text that is long enough' })
  const blob = await it.git('rev-parse', 'HEAD:a')
  await it.git('repack', '-adq')
  const path = await packOf(it)
  const bytes = await readFile(path)
  const found: string[] = []
  await rm(path)
  for (let at = 12; at < bytes.length - 20; at++) {
    await writeFile(path, bytes.with(at, (bytes[at] ?? 0) ^ 0xff))
    await using folder = new PackFolder(join(it.work, '.git'))
    found.push(
      await folder.read(blob).then(
        (object) => object?.content.toString() ?? 'nothing',
        (error) => error.reason,
      ),
    )
  }
  expect(new Set(found)).toEqual(new Set(['some text that is long enough', 'CorruptPack']))
})

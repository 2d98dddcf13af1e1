import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeOwnFolder, systemProcesses } from '../../src/cli/controller/own-folder.ts'

const STARTED = Date.parse('2026-10-01T00:00:00Z')
const processes = { own: 7, startedAt: STARTED, isRunning: (pid: number) => pid === 8 }

async function foldersAfter(before: Readonly<Record<string, number>>): Promise<string[]> {
  const parent = await mkdtemp(join(tmpdir(), 'nodewave-own-'))
  try {
    for (const [name, time] of Object.entries(before)) {
      await mkdir(join(parent, name, 'clone', 'objects'), { recursive: true })
      await utimes(join(parent, name), time / 1000, time / 1000)
    }
    await makeOwnFolder(parent, processes)
    return (await readdir(parent)).map((name) => name.replace(/^(nodewave-git-7-).{6}$/, '$1')).toSorted()
  } finally {
    await rm(parent, { recursive: true })
  }
}

test('a controller removes the folders of those that were killed, and takes one of its own', async () => {
  const before = { 'nodewave-git-6-aaaaaa': STARTED - 1000, 'nodewave-git-9-aaaaaa': STARTED + 1000 }
  expect(await foldersAfter(before)).toEqual(['nodewave-git-7-'])
})

test('a controller in a container removes what the one before left under the same process id', async () => {
  expect(await foldersAfter({ 'nodewave-git-7-left': STARTED - 1000 })).toEqual(['nodewave-git-7-'])
})

test('a controller leaves the folders of running processes alone, its own other ones, and what is not of its kind', async () => {
  const before = {
    'nodewave-git-7-mine': STARTED + 1000,
    'nodewave-git-8-other': STARTED - 1000,
    'nodewave-git-x-y': 0,
    other: 0,
  }
  expect(await foldersAfter(before)).toEqual([
    'nodewave-git-7-',
    'nodewave-git-7-mine',
    'nodewave-git-8-other',
    'nodewave-git-x-y',
    'other',
  ])
})

test('the own process runs, and was started before now', () => {
  const { own, startedAt, isRunning } = systemProcesses()
  expect(isRunning(own)).toBe(true)
  expect(startedAt).toBeLessThan(Date.now())
})

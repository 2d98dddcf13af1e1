import { expect, test } from 'vitest'
import type { RpmTools } from '../../../src/agent/adapters/rpm/rpm-front.ts'
import { zypperFront } from '../../../src/agent/adapters/zypper/zypper.ts'
import { MemoryFiles } from '../../../src/sim/host/memory-files.ts'

const CACHE = '/var/cache/zypp/packages'
const TOOL = { name: 'tool', version: '2:1.0-1', architecture: 'x86_64' } as const

function cached(files: MemoryFiles): Promise<string | undefined> | undefined {
  const unused = undefined as never
  const tools: RpmTools = {
    files,
    store: '/store',
    database: unused,
    look: unused,
    outside: unused,
    place: (path) => path,
    settings: [],
  }
  return zypperFront(tools).cached?.({ ...TOOL } as never)
}

test.each([
  ['beside the directories of architectures', `${CACHE}/main/tool-1.0-1.x86_64.rpm`],
  ['in the directory of its architecture', `${CACHE}/updates/x86_64/tool-1.0-1.x86_64.rpm`],
])('an archive that zypper has kept is found %s, by its version without the epoch', async (_, path) => {
  const files = new MemoryFiles()
  files.put(`${CACHE}/empty/tool-0.9-1.x86_64.rpm`, 'older')
  files.put(path, 'archive')

  expect(await cached(files)).toBe(path)
})

test('an archive that zypper has not kept is not found', async () => {
  const files = new MemoryFiles()
  files.put(`${CACHE}/main/tool-1.0-1.aarch64.rpm`, 'of another architecture')
  files.put(`${CACHE}/main/tool-1.0-1.x86_64.rpm/part`, 'not whole')

  expect(await cached(files)).toBeUndefined()
})

import { expect, test } from 'vitest'
import type { HostHands } from '../../../src/agent/resources/kind.ts'
import { link } from '../../../src/agent/resources/link.ts'
import { MemoryFiles } from '../../../src/sim/host/memory-files.ts'
import { BAD_FLAGS } from '../support/kind-stories.ts'
import { Machine } from '../support/machine.ts'

const PATH = '/opt/tool'
const withLink = (target: string) => ({ host: JSON.stringify({ links: [{ path: PATH, target }] }) })

/** Somebody replaces the new link by a file, before the commit that brought it is undone. */
async function undoneAfterFile(machine: Machine): Promise<string | undefined> {
  const { files } = machine.host
  machine.assign({ ...withLink('/opt/tool-2'), flags: BAD_FLAGS })
  await machine.clock.runUntil(() => files.snapshot()[PATH]?.includes('/opt/tool-2') === true)
  await files.remove(PATH)
  files.put(PATH, 'theirs\n')
  expect((await machine.until('RolledBack', 'Failed')).phase).toBe('RolledBack')
  return files.text(PATH)
}

test('agent that undoes a link leaves the file that somebody put there meanwhile', async () => {
  const machine = new Machine()
  machine.start()

  expect(await undoneAfterFile(machine)).toBe('theirs\n')
})

test('agent that undoes a change of a link leaves the file that somebody put there meanwhile', async () => {
  const machine = new Machine()
  machine.start()
  await machine.untilDigest(machine.assign(withLink('/opt/tool-1')), 'Applied')

  expect(await undoneAfterFile(machine)).toBe('theirs\n')
})

test('agent that undoes a change of a link leads it where it led, wherever somebody leads it meanwhile', async () => {
  const machine = new Machine()
  const { files } = machine.host
  machine.start()
  await machine.untilDigest(machine.assign(withLink('/opt/tool-1')), 'Applied')
  machine.assign({ ...withLink('/opt/tool-2'), flags: BAD_FLAGS })
  await machine.clock.runUntil(() => files.snapshot()[PATH]?.includes('/opt/tool-2') === true)
  await files.link(PATH, '/opt/theirs')

  await machine.until('RolledBack')

  expect(await files.readLink(PATH)).toBe('/opt/tool-1')
})

test.each([
  ['leads where it led', '/opt/tool-1', '/opt/tool-1', true],
  ['leads elsewhere', '/opt/tool-2', '/opt/tool-1', false],
  ['is not there any more', undefined, '/opt/tool-1', false],
  ['is not there, as before', undefined, undefined, true],
  ['is still there', '/opt/tool-2', undefined, false],
  ['is a file of others', 'file', '/opt/tool-1', false],
  ['is a file of others where nothing was', 'file', undefined, false],
])('undo of a link that %s is judged by what is there', async (_, found, target, isUndone) => {
  const files = new MemoryFiles()
  if (found === 'file') files.put(PATH, 'theirs\n')
  else if (found !== undefined) await files.link(PATH, found)
  const undo = link.readUndo({ path: PATH, ...(target !== undefined && { target }) })

  expect(await undo?.isUndone({ files } as unknown as HostHands)).toBe(isUndone)
})

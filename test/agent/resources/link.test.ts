import { expect, test } from 'vitest'
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

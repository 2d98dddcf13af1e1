import { expect, test } from 'vitest'
import { repository } from '../../../src/agent/resources/repository.ts'
import { Machine } from '../support/machine.ts'

const PATH = '/etc/apt/sources.list.d/tools.sources'
const TEXT = 'Types: deb\n'

test.each([
  ['is as it should be', TEXT, 0o644, false],
  ['has another content', 'Types: deb-src\n', 0o644, true],
  ['has another mode', TEXT, 0o600, true],
])('repository is written when its file %s: %j with mode %o: %s', async (_, text, mode, isWritten) => {
  const machine = new Machine()
  const { ports } = machine.host.process(machine.node)
  machine.host.files.put(PATH, text, { mode })

  const { change } = await repository.of({ path: PATH, manager: 'apt', text: TEXT }).observe(ports)

  expect(change !== undefined).toBe(isWritten)
})

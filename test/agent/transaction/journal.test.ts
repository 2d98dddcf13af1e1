import { expect, test } from 'vitest'
import { Journal, type JournalLine, parseJournal } from '../../../src/agent/transaction/journal.ts'
import { MemoryFiles } from '../../../src/sim/host/memory-files.ts'

const BEGIN: JournalLine = {
  at: 'begin',
  id: 't1',
  purpose: 'apply',
  digest: 'v1:a',
  activation: { reload: false, restarts: ['kubelet.service'] },
  proof: { ready: true, within: 30_000 },
  before: { healthy: true },
}
const INTENT: JournalLine = { at: 'intent', step: 0, undo: { kind: 'file', version: 1, data: { do: 'remove', path: '/a' } } }

test('journal tells a transaction as it was written', async () => {
  const journal = new Journal('/journal', new MemoryFiles())
  await journal.write(BEGIN)
  await journal.write(INTENT)
  await journal.write({ at: 'done', step: 0 })
  await journal.write({ at: 'committed' })

  expect(await journal.open()).toEqual({
    head: BEGIN,
    undos: [{ kind: 'file', version: 1, data: { do: 'remove', path: '/a' } }],
    awaiting: false,
    committed: true,
    undoing: undefined,
    undoneUnder: undefined,
    reboots: [],
  })
})

test('journal has no transaction when there is no file, nor after it is closed', async () => {
  const journal = new Journal('/journal', new MemoryFiles())
  expect(await journal.open()).toBeUndefined()
  await journal.write(BEGIN)
  await journal.close()
  expect(await journal.open()).toBeUndefined()
})

test('journal forgets a last line that is torn at any byte, and can be written on', async () => {
  const torn = JSON.stringify(INTENT)
  for (let length = 1; length <= torn.length; length++) {
    const files = new MemoryFiles()
    const journal = new Journal('/journal', files)
    await journal.write(BEGIN)
    files.appendText('/journal', torn.slice(0, length))

    expect((await journal.open())?.undos, `torn at ${length}`).toEqual([])
    await journal.write({ at: 'committed' })
    expect((await journal.open())?.committed, `torn at ${length}`).toBe(true)
  }
})

test('journal reads nothing beyond a line of which two parts were glued together', () => {
  const text = `${JSON.stringify(BEGIN)}\n{"at":"int{"at":"undoing"}\n${JSON.stringify(INTENT)}\n`

  expect(parseJournal(text)).toEqual({ lines: [BEGIN], torn: true })
})

test.each([
  ['first', `{"at":"begin","id":"t1"}\n`],
  ['later', `${JSON.stringify(BEGIN)}\n{"at":"intent","step":0,"undo":{"kind":"label","path":"/a"}}\n`],
])('journal is not passed over when its %s line is one that another version wrote', (_, text) => {
  expect(() => parseJournal(text)).toThrow(
    /^internal failure: read the journal: this agent does not know the line "\{"at":.*; start the version of the agent that wrote it, or assign something new/,
  )
})

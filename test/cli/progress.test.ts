import { expect, test } from 'vitest'
import { progressOn } from '../../src/cli/progress.ts'

function aTerminal(showsProgress = true) {
  const shown: string[] = []
  let now = 0
  const progress = progressOn({ stderr: (text) => void shown.push(text), showsProgress, columns: 20, now: () => now })
  const tellAt = (at: number, text: string): void => {
    now = at
    progress.tell(text)
  }
  return { shown, progress, tellAt }
}

test('progress is told from the third second on, no oftener than it can be read, and is gone at the end', () => {
  const { shown, progress, tellAt } = aTerminal()
  for (const at of [0, 1_999, 2_000, 2_100, 2_200]) tellAt(at, `at ${at}`)
  progress.end()
  expect(shown).toEqual(['\r\u001b[Kat 2000', '\r\u001b[Kat 2200', '\r\u001b[K'])
})

test('progress of what is done within two seconds leaves no trace', () => {
  const { shown, progress, tellAt } = aTerminal()
  tellAt(1_500, 'half')
  progress.end()
  expect(shown).toEqual([])
})

test('progress is no longer than the terminal is wide, or it could not be taken back', () => {
  const { shown, tellAt } = aTerminal()
  tellAt(3_000, 'twenty columns are not enough for this')
  expect(shown).toEqual(['\r\u001b[Ktwenty columns are '])
})

test('progress is not told where stderr is no terminal', () => {
  const { shown, progress, tellAt } = aTerminal(false)
  tellAt(3_000, 'unseen')
  progress.end()
  expect(shown).toEqual([])
})

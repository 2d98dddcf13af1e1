import { expect, test } from 'vitest'
import { parseAgentStatus } from '../../src/protocol/agent-status.ts'
import { foreignText } from '../../src/protocol/foreign-text.ts'
import { readOnce } from '../../src/protocol/read-once.ts'
import { parseRequestedBy } from '../../src/protocol/requested-by.ts'

test.for([
  ['kubelet exited: unknown flag', 'kubelet exited: unknown flag'],
  ['\u001b[2J\u001b[31mred', '\\u{1b}[2J\\u{1b}[31mred'],
  ['two\nlines\r\n\tand a tab', 'two\\nlines\\r\\n\\tand a tab'],
  ['evil\u202egpj.exe', 'evil\\u{202e}gpj.exe'],
  ['hidden\u200b\u2066text\u2069', 'hidden\\u{200b}\\u{2066}text\\u{2069}'],
  ['\u0085\u2028\u2029\u009b31m', '\\u{85}\\u{2028}\\u{2029}\\u{9b}31m'],
  ['half \ud800 a character', 'half \ufffd a character'],
  ['Grüße aus 東京', 'Grüße aus 東京'],
])('foreign text %j is shown as %j', ([text, shown]) => {
  expect(foreignText(text ?? '', 100)).toBe(shown)
})

test('foreign text is never longer than its bound', () => {
  expect(foreignText('\u001b'.repeat(50), 60)).toHaveLength(60)
  expect(foreignText('x'.repeat(1000), 60)).toBe('x'.repeat(60))
})

test('a status of an agent comes in with all of its texts bounded and escaped', () => {
  const error = { reason: 'Bad\u001b[31m', message: `one\ntwo${'x'.repeat(9000)}` }
  const status = { phase: 'Failed', since: '2026-11-22T08:00:00Z\u202e', kubelet: 'v'.repeat(5000), drift: ['/a\nb'], error }
  const read = parseAgentStatus(JSON.stringify(status))
  expect(read).toMatchObject({ since: '2026-11-22T08:00:00Z\\u{202e}', drift: ['/a\\nb'], kubelet: 'v'.repeat(200) })
  expect(read?.error?.reason).toBe('Bad\\u{1b}[31m')
  expect(read?.error?.message).toHaveLength(4000)
  expect(read?.error?.message).toContain('one\\ntwo')
})

test('a status that is longer than any agent writes is dropped unread', () => {
  const status = { phase: 'Applied', since: '2026-11-22T08:00:00Z', drift: ['x'.repeat(70_000)] }
  expect(parseAgentStatus(JSON.stringify(status))).toBeUndefined()
})

test('a signature comes in without what steers a terminal', () => {
  expect(parseRequestedBy('ada\u001b[8m 2026-11-22T08:00:00Z')?.who).toBe('ada\\u{1b}[8m')
})

test('long texts that are read once are not all kept', () => {
  let reads = 0
  const read = readOnce((text) => {
    reads += 1
    return { length: text.length }
  })
  const long = (n: number) => `${n}`.padEnd(200_000, 'x')
  for (let n = 0; n < 25; n++) read(long(n))
  read(long(0))
  expect(reads).toBe(26)
  const huge = 'x'.repeat(5_000_000)
  expect([read(huge), read(huge)]).toEqual([{ length: 5_000_000 }, { length: 5_000_000 }])
  expect(reads).toBe(28)
})

import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { damagedBlock, withEdits, withoutEdits } from '../../../src/agent/resources/edited-text.ts'
import { ADDED_LINE } from '../../../src/protocol/file-edits.ts'

const BLOCK = { name: 'registry', content: '10.0.0.1 registry\n10.0.0.2 mirror\n' }
const MARKED = '# BEGIN nodewave registry\n10.0.0.1 registry\n10.0.0.2 mirror\n# END nodewave registry\n'

test('new block comes last, between two marks', () => {
  expect(withEdits('127.0.0.1 localhost\n', { blocks: [BLOCK] })).toBe(`127.0.0.1 localhost\n${MARKED}`)
  expect(withEdits('', { blocks: [BLOCK] })).toBe(MARKED)
  expect(withEdits('no end', { blocks: [BLOCK] })).toBe(`no end\n${MARKED}`)
})

test('block that is there is replaced where it stands, and one that is not wanted goes', () => {
  const text = `a\n${MARKED}b\n`
  expect(withEdits(text, { blocks: [{ name: 'registry', content: 'x' }] })).toBe(
    'a\n# BEGIN nodewave registry\nx\n# END nodewave registry\nb\n',
  )
  expect(withEdits(text, { blocks: [{ name: 'other', content: 'y\n' }] })).toBe(
    'a\nb\n# BEGIN nodewave other\ny\n# END nodewave other\n',
  )
})

test('second copy of a block goes', () => {
  expect(withEdits(MARKED + MARKED, { blocks: [BLOCK] })).toBe(MARKED)
})

test('line that others have is not added, and one that they take away is', () => {
  const edits = { lines: ['have', 'need', 'need'] }
  const added = 'have\n# BEGIN nodewave lines\nneed\n# END nodewave lines\n'
  expect(withEdits('have\n', edits)).toBe(added)
  expect(withEdits(added, edits)).toBe(added)
  expect(withEdits(added.replace('have\n', ''), edits)).toBe('# BEGIN nodewave lines\nhave\nneed\n# END nodewave lines\n')
  expect(withEdits('need\r\nhave\r\n', edits)).toBe('need\r\nhave\r\n')
})

test('marks begin with the sign of comments of the file, and an older sign is replaced', () => {
  expect(withEdits(MARKED, { blocks: [{ name: 'registry', content: 'x' }], comment: ';' })).toBe(
    '; BEGIN nodewave registry\nx\n; END nodewave registry\n',
  )
})

test.each([
  ['# BEGIN nodewave a\nx\n', 'a'],
  ['x\n# END nodewave b\n', 'b'],
  ['# BEGIN nodewave a\n# END nodewave c\n', 'a'],
  ['; BEGIN nodewave a\nx\n# END nodewave a\n', 'a'],
  [MARKED, undefined],
  ['# BEGIN nodewave\n# about BEGIN nodewave a\n', undefined],
])('block of %j that has one mark only is %s', (text, name) => {
  expect(damagedBlock(text)).toBe(name)
})

test('lines of others between a mark that is alone and a whole block are in no block', () => {
  const text = `a\n# BEGIN nodewave registry\n10.0.0.1 registry\nmine\n${MARKED}b\n`
  expect(damagedBlock(text)).toBe('registry')
  expect(withoutEdits(text)).toBe('a\n10.0.0.1 registry\nmine\nb\n')
})

test.each([
  ['ends lines as on Windows', (text: string) => text.replaceAll('\n', '\r\n')],
  ['adds blanks', (text: string) => text.replaceAll('\n', ' \n')],
])('block is replaced where it stands when an editor %s', (_, edit) => {
  expect(withEdits(edit(`a\n${MARKED}b\n`), { blocks: [{ name: 'registry', content: 'x' }] })).toBe(
    `${edit('a\n')}# BEGIN nodewave registry\nx\n# END nodewave registry\n${edit('b\n')}`,
  )
})

test('line that has a mark after a line separator of Unicode is refused', () => {
  expect(ADDED_LINE.test('\u2028# BEGIN nodewave x')).toBe(false)
  expect(ADDED_LINE.test('\u2028 x')).toBe(true)
})

test('without ours, a mark that is alone goes, and the lines near it stay', () => {
  expect(withoutEdits('a\n# BEGIN nodewave x\nb\n')).toBe('a\nb\n')
  expect(withoutEdits(`a\n${MARKED}b`)).toBe('a\nb')
})

const line = fc.stringMatching(/^[ -~]{0,6}$/)
const others = fc
  .tuple(fc.array(line, { maxLength: 5 }), fc.boolean())
  .map(([lines, isEnded]) => lines.join('\n') + (isEnded ? '\n' : ''))
const edits = fc.record({
  blocks: fc.uniqueArray(fc.record({ name: fc.constantFrom('a', 'b', 'c'), content: others }), { selector: ({ name }) => name }),
  lines: fc.array(fc.stringMatching(/^[!-~]{1,3}$/), { maxLength: 3 }),
})

test('edits of any text are stable, and leave it as it was but for the end of its last line', () => {
  fc.assert(
    fc.property(others, edits, edits, (text, first, second) => {
      const once = withEdits(text, first)
      expect(withEdits(once, first)).toBe(once)
      expect([text, `${text}\n`]).toContain(withoutEdits(once))
      expect([text, `${text}\n`]).toContain(withoutEdits(withEdits(once, second)))
    }),
  )
})

/** Names, labels and messages come from nodes, commits and servers. None of them may redraw or reorder what a person reads. */
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { terminalSize } from '../../src/cli/cli-io.ts'
import { jsonText } from '../../src/cli/output/json-text.ts'
import { yamlText } from '../../src/cli/output/yaml-text.ts'
import { terminalText } from '../../src/cli/terminal-text.ts'
import { aFolder, FLEET, runCli } from './run-cli.ts'

const CLEARS = '\u001b[2J\u009b1;1H'
const TURNS = '\u202eyaml\u2066'
const HOSTILE = { [`key ${TURNS}`]: `a${CLEARS}b${TURNS}c\u007f\ufeff\u{e0041}`, list: ['line\nbreak', 'plain'] }
const OBEYED = /[\p{Cc}\p{Cf}]/u

test.each([
  ['JSON', jsonText(HOSTILE)],
  ['YAML', yamlText(HOSTILE)],
  ['YAML in blocks', yamlText(HOSTILE, { lineWidth: 0, blockQuote: 'literal' })],
])('%s escapes what a terminal obeys, and has the same value', (_, text) => {
  expect(text.replaceAll('\n', '')).not.toMatch(OBEYED)
  expect(parse(text)).toEqual(HOSTILE)
})

test('JSON and YAML leave everything else as it is', () => {
  expect(jsonText({ a: 'ä → 界 😀' })).toBe('{\n  "a": "ä → 界 😀"\n}\n')
  expect(yamlText({ a: 'ä → 界 😀', b: '1' })).toBe('a: ä → 界 😀\nb: "1"\n')
})

test('text for a terminal keeps line breaks, tabs and colours, and nothing else that a terminal obeys', () => {
  expect(terminalText('\u001b[31mred\u001b[39m\ta\nb')).toBe('\u001b[31mred\u001b[39m\ta\nb')
  expect(terminalText(`a${CLEARS}b\rc${TURNS}d\u0007`)).toBe('a [2J 1;1Hb c yaml d ')
})

test('text for a terminal moves the cursor only at its beginning, where a command draws over its own lines', () => {
  expect(terminalText('\u001b[3A\u001b[Jlines')).toBe('\u001b[3A\u001b[Jlines')
  expect(terminalText('\r\u001b[K')).toBe('\r\u001b[K')
  expect(terminalText('lines\u001b[3A\u001b[J')).toBe('lines [3A [J')
})

const node = { metadata: { name: `w-0${CLEARS}`, labels: { role: 'worker' } } }

test.each([
  ['render', 'fleet', '-o', 'text'],
  ['render', 'fleet', '-o', 'yaml'],
  ['render', 'fleet', '-o', 'json'],
  ['explain', 'w-1', '--repo', 'fleet'],
])('the name of a node moves no cursor in the output of %s %s %s %s', async (...args) => {
  const fleet = Object.fromEntries(Object.entries(FLEET).map(([path, text]) => [`fleet/${path}`, text]))
  const folder = await aFolder({ ...fleet, 'nodes.json': JSON.stringify({ items: [node] }) })
  const { stdout, stderr } = await runCli(folder, [...args, '--nodes', 'nodes.json'])
  expect(stdout + stderr).toContain('w-0')
  expect((stdout + stderr).replaceAll('\n', '')).not.toMatch(OBEYED)
})

test.each([
  ['a terminal', { columns: 132, rows: 50 }, { columns: 132, rows: 50 }],
  ['a terminal of unknown size, which says 0,', { columns: 0, rows: 0 }, { columns: 80, rows: 24 }],
  ['what is no terminal', {}, { columns: 80, rows: 24 }],
])('%s has columns and rows', (_, stream, size) => {
  expect(terminalSize(stream)).toEqual(size)
})

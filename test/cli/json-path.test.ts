import { expect, test } from 'vitest'
import { asDocument } from '../../src/cli/documents.ts'
import { parseTemplate } from '../../src/cli/output/parse-json-path.ts'

const DOCUMENT = {
  kind: 'List',
  items: [
    { metadata: { name: 'a', annotations: { 'nodewave.io/hold': 'disk' } }, status: { phase: 'Applied', size: 9, ok: true } },
    { metadata: { name: 'b' }, status: { phase: 'Failed', size: 10, ok: false } },
    { metadata: { name: 'c' }, status: { phase: 'Applied', size: 11, parts: ['x', 'y'] } },
  ],
}

test.each([
  ['one field', '{.kind}', 'List'],
  ['text beside it', 'kind: {.kind}!', 'kind: List!'],
  ['every item', '{.items[*].metadata.name}', 'a b c'],
  ['a star after a dot', '{.items.*.metadata.name}', 'a b c'],
  ['the root', '{$.kind}', 'List'],
  ['spaces in braces', '{ .kind }', 'List'],
  ['an index', '{.items[1].metadata.name}', 'b'],
  ['an index from the end', '{.items[-1].metadata.name}', 'c'],
  ['a slice', '{.items[0:2].metadata.name}', 'a b'],
  ['a slice without an end', '{.items[1:].metadata.name}', 'b c'],
  ['a name with dots, escaped', '{.items[0].metadata.annotations.nodewave\\.io/hold}', 'disk'],
  ['a name in brackets', "{.items[0].metadata.annotations['nodewave.io/hold']}", 'disk'],
  ['several names', "{.items[0].status['phase','size']}", 'Applied 9'],
  ['whatever depth', '{..name}', 'a b c'],
  ['a filter by text', '{.items[?(@.status.phase=="Failed")].metadata.name}', 'b'],
  ['a filter by another text', "{.items[?(@.status.phase != 'Failed')].metadata.name}", 'a c'],
  ['a filter by number', '{.items[?(@.status.size>=10)].metadata.name}', 'b c'],
  ['a filter by truth', '{.items[?(@.status.ok==true)].metadata.name}', 'a'],
  ['a filter by what exists', '{.items[?(@.metadata.annotations)].metadata.name}', 'a'],
  ['a range', '{range .items[*]}{.metadata.name}={.status.phase}{"\\n"}{end}', 'a=Applied\nb=Failed\nc=Applied\n'],
  ['a range in a range', '{range .items[*]}{range .status.parts[*]}<{@}>{end}{end}', '<x><y>'],
  ['an object, as JSON', '{.items[1].metadata}', '{"name":"b"}'],
  ['nothing where a field is missing', '[{.items[*].nothing.there}]', '[]'],
  ['nothing of prototypes', '{.constructor.name}{.items.length}', ''],
])('jsonpath finds %s', (_, template, expected) => {
  expect(asDocument(DOCUMENT, `jsonpath=${template}`)).toBe(expected)
})

test('jsonpath prints no control characters that a node wrote', () => {
  expect(asDocument({ error: 'a\u001b[2Jb\nc' }, 'jsonpath={.error}')).toBe('a [2Jb\nc')
})

test.each([
  ['{.items[*', 'expected "]" at character 10, the end; close the bracket with "]"'],
  ['{.items[x]}', 'expected an index, "*", a name or a filter "?(…)" at character 9, "x]}"; write [0], [*] or [\'name\']'],
  ['{.a', 'expected "}", ".field" or "[…]" at character 4, the end; close the path with "}"'],
  [
    '{name}',
    'expected a path such as ".pools[*].name" at character 2, "name}"; begin the path with a dot, as {.name}, or quote text, as {"\\n"}',
  ],
  ['{.a..}', 'expected the name of a field at character 6, "}"; write it after the dot, or quote it in brackets, as [\'a.b\']'],
  [
    '{range .items[*]}{.a}',
    'expected "{end}" of a {range …} at character 22, the end; add {end} after the last part of the range',
  ],
  ['{range .items', 'expected "}" at character 14, the end; close the path of the range, as {range .pools[*]}'],
  ['{.a}{end}', '"{end}" closes no {range …} at character 5, "{end}"; remove it'],
  [
    '{.items[?(@.a=~"x")]}',
    'expected ")", or one of == != < <= > >= at character 14, "=~"x")]}"; write a filter as [?(@.phase=="Failed")]',
  ],
  ['.kind', "\".kind\" has no path in braces; write jsonpath='{.field}', such as '{.pools[*].name}'"],
])('the template %s is refused with what is wrong, where, and what to write', (template, message) => {
  expect(() => parseTemplate(template)).toThrow(message)
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { patchEnvironmentFile, readEnvironmentFile } from '../../src/protocol/environment-file.ts'
import { ProtocolError } from '../../src/protocol/protocol-error.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text)
const read = (text: string): Record<string, string> => Object.fromEntries(readEnvironmentFile(bytes(text)))
const patch = (text: string, changes: Record<string, string | undefined>): string =>
  Buffer.from(patchEnvironmentFile(bytes(text), changes)).toString()

/** Each was read the same by systemd 252. */
test.each([
  ['plain values and comments', '# c\n; d\nA=1\n\nB = two words  \nnothing\n', { A: '1', B: 'two words' }],
  ['quotes', `A="x y"\nB='x "y"'\nC="a"'b' c\nD=x "y"\n`, { A: 'x y', B: 'x "y"', C: 'abc', D: 'x "y"' }],
  ['escapes outside quotes', 'A=a\\ b\\\\c\\\nd\nB=x \\  \n', { A: 'a b\\cd', B: 'x  ' }],
  ['escapes in double quotes', 'A="\\"\\\\\\`\\$\\n\\\nx"\n', { A: '"\\`$\\nx' }],
  ['backslashes in single quotes', "A='a\\b'\n", { A: 'a\\b' }],
  ['values over several lines', 'A="one\ntwo"\nB=3\n', { A: 'one\ntwo', B: '3' }],
  ['the last of two assignments', 'A=1\nA=2\n', { A: '2' }],
  ['an empty value', 'A=\nB=""\n', { A: '', B: '' }],
  ['carriage returns', 'A=1\r\nB=2\r\n', { A: '1', B: '2' }],
  ['a comment that swallows the next line', '# c \\\nA=1\nB=2\n', { B: '2' }],
  ['an open quote at the end', 'A="x', { A: 'x' }],
  ['a backslash at the end', 'A=x \\', { A: 'x ' }],
  ['a name with export before it', 'export A=1\n', { 'export A': '1' }],
  ['characters beyond ASCII', 'A=é😀\n', { A: 'é😀' }],
])('an environment file is read with %s', (_, text, variables) => {
  expect(read(text)).toEqual(variables)
})

test('a patch changes the value and nothing around it', () => {
  const before = "# by hand\r\n  KUBELET_OPTS = --v=2 \\\r\nFOO='a'\n\n;x\nKUBELET_VERSION=v1.35.0"
  expect(patch(before, { KUBELET_VERSION: 'v1.36.3', FOO: 'b' })).toBe(
    '# by hand\r\n  KUBELET_OPTS = --v=2 \\\r\nFOO="b"\n\n;x\nKUBELET_VERSION="v1.36.3"',
  )
})

test('a patch leaves the file alone when the variable has the value in other quotes', () => {
  expect(patch(`A='x y' \n`, { A: 'x y' })).toBe(`A='x y' \n`)
})

test('a patch keeps bytes that are not UTF-8', () => {
  const before = Buffer.from([0x23, 0xff, 0xfe, 0x0a, 0x41, 0x3d, 0x31, 0x0a])
  expect([...patchEnvironmentFile(before, { A: '2' })]).toEqual([0x23, 0xff, 0xfe, 0x0a, 0x41, 0x3d, 0x22, 0x32, 0x22, 0x0a])
})

test('a patch sets the last assignment, which is the one that counts', () => {
  expect(patch('A=1\nA=2\n', { A: '3' })).toBe('A=1\nA="3"\n')
})

test('a patch replaces a value that goes over several lines', () => {
  expect(patch('A="1\n2" \nB=1\n', { A: 'x' })).toBe('A="x"\nB=1\n')
})

test.each([
  ['an empty file', '', 'A="1"\n'],
  ['a file that ends in a line', 'B=2\n', 'B=2\nA="1"\n'],
  ['a file without a last line break', 'B=2', 'B=2\nA="1"\n'],
  ['a comment that would swallow the line', '# b \\\n', '# b \\\n\nA="1"\n'],
  ['a backslash that would swallow the line break', 'B=2\\', 'B=2\\\n\nA="1"\n'],
])('a patch appends a new variable to %s', (_, before, after) => {
  expect(patch(before, { A: '1' })).toBe(after)
})

test('a patch appends variables in the order given', () => {
  expect(patch('', { B: '1', A: '$x `y` "z" \\' })).toBe('B="1"\nA="\\$x \\`y\\` \\"z\\" \\\\"\n')
})

test('a patch removes every assignment of a variable given as undefined', () => {
  expect(patch('A=1\r\nB=2\nA="3\n4"\n# A=5\nA=6', { A: undefined })).toBe('B=2\n# A=5\n')
})

test.each([
  ['a name that is none', '', { 'A B': '1' }, 'set variable "A B": a name has letters, digits and underscores only'],
  [
    'a line break in a value',
    '',
    { A: 'x\ny' },
    'set variable A to "x\\ny": an environment file cannot carry the character U+000A',
  ],
  ['an open quote', 'B="x\n', { A: '1' }, 'append A to the environment file: it ends inside a quote that is never closed'],
])('a patch is refused for %s', (_, before, changes, message) => {
  expect(() => patch(before, changes)).toThrow(ProtocolError)
  expect(() => patch(before, changes)).toThrow(message)
})

const name = fc.constantFrom('A', 'B', 'KUBELET_OPTS')
const anyFile = fc
  .array(
    fc.constantFrom('A', 'B', '=', '\n', '\r\n', ' ', '\t', '\\', "'", '"', '#', ';', '$', 'é', 'A=', '\nB="', 'KUBELET_OPTS='),
  )
  .map((pieces) => pieces.join(''))
const value = fc.string({ unit: fc.constantFrom(' ', '"', "'", '\\', '$', '`', '=', 'a', 'é', '😀', '#', ';') })

test('a patched variable reads back as it was set, and no other variable changes', () => {
  fc.assert(
    fc.property(anyFile, name, value, (file, variable, wanted) => {
      fc.pre(file === '' || read(`${file}\n\nPROBE=1\n`).PROBE === '1')
      expect(read(patch(file, { [variable]: wanted }))).toEqual({ ...read(file), [variable]: wanted })
    }),
    { numRuns: 2000 },
  )
})

test('a patch keeps every byte before and after the value it sets', () => {
  fc.assert(
    fc.property(anyFile, anyFile, value, value, (before, after, old, wanted) => {
      fc.pre(read(`${before}\nPROBE=1\n`).PROBE === '1' && !('X' in read(after)))
      const around = (middle: string) => `${before}\nX=${middle}\n${after}`
      const quoted = (text: string) => `"${text.replace(/["\\`$]/g, '\\$&')}"`
      expect(patch(around(quoted(old)), { X: wanted })).toBe(around(quoted(wanted)))
    }),
    { numRuns: 2000 },
  )
})

test('a patch done twice changes nothing the second time', () => {
  fc.assert(
    fc.property(anyFile, value, (file, wanted) => {
      fc.pre(read(`${file}\n\nPROBE=1\n`).PROBE === '1')
      const once = patch(file, { X: wanted })
      expect(patch(once, { X: wanted })).toBe(once)
    }),
  )
})

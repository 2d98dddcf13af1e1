import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatFlagString, splitFlagString } from '../../src/protocol/flag-string.ts'
import { ProtocolError } from '../../src/protocol/protocol-error.ts'

test('a flag string leaves arguments as they are when nothing in them needs quoting', () => {
  const args = ['--v=2', '--eviction-hard=memory.available<100Mi,nodefs.available<10%', '--node-labels=a.b/c=d', '--x=$HOME;`#~*']
  expect(formatFlagString(args)).toBe(
    '--v=2 --eviction-hard=memory.available<100Mi,nodefs.available<10% --node-labels=a.b/c=d --x=$HOME;`#~*',
  )
})

test('a flag string quotes blanks, quotes, backslashes and emptiness', () => {
  expect(formatFlagString(['--a=b c', "--q=it's", '--j={"k": 1}', '--w=C:\\x', ''])).toBe(
    `'--a=b c' "--q=it's" '--j={"k": 1}' "--w=C:\\\\x" ''`,
  )
})

test.each([
  ['a line break', '--x=a\nb', 'U+000A'],
  ['a tab', '--x=a\tb', 'U+0009'],
  ['NUL', '--x=\0', 'U+0000'],
  ['half a surrogate pair', '--x=\ud800', 'U+D800'],
  ['a noncharacter', '--x=\ufdd0', 'U+FDD0'],
  ['a byte order mark', '--x=\ufeff', 'U+FEFF'],
])('a flag string is refused when an argument has %s', (_, argument, name) => {
  const attempt = () => formatFlagString(['--fine', argument])
  expect(attempt).toThrow(ProtocolError)
  expect(attempt).toThrow(`quote argument ${JSON.stringify(argument)}: an environment file cannot carry the character ${name}`)
})

/** What systemd 252 gave to the kubelet for each of these. */
test.each([
  ['', []],
  ['  \t ', []],
  [' --a=1 \t --b=2\n--c\r', ['--a=1', '--b=2', '--c']],
  [`--a='b c' --d="e f"`, ['--a=b c', '--d=e f']],
  [`'' ""`, ['', '']],
  [`--a='it'"'"s`, ["--a=it's"]],
  [`'a\\b' "a\\"b" a\\ b`, ['ab', 'a"b', 'a b']],
  [`--open='b c`, ['--open=b c']],
  ['--last\\', ['--last']],
  ['\\', ['']],
  ['$HOME %n # ;', ['$HOME', '%n', '#', ';']],
])('splitting %j reads as systemd does', (text, args) => {
  expect(splitFlagString(text)).toEqual(args)
})

const argument = fc.string({ unit: fc.constantFrom(' ', '"', "'", '\\', '$', '`', '=', '-', 'a', 'é', '😀', '#') })

test('splitting gives back the arguments that a flag string was written from', () => {
  fc.assert(
    fc.property(fc.array(argument), (args) => {
      expect(splitFlagString(formatFlagString(args))).toEqual(args)
    }),
  )
})

test('joining flag strings joins their arguments', () => {
  fc.assert(
    fc.property(fc.array(argument), fc.array(argument), (first, second) => {
      const joined = `${formatFlagString(first)} ${formatFlagString(second)}`
      expect(splitFlagString(joined)).toEqual([...first, ...second])
    }),
  )
})

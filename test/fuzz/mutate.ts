import { randomOf } from './random.ts'

/** Longer ones find the same, only later. */
const MAX_INPUT = 64 * 1024
const MAX_CHANGES = 6
/** What parsers treat in a way of its own. */
const WORDS = [
  ...[
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    ':',
    ',',
    '\n',
    '\0',
    '\u202e',
    '\u001b[31m',
    '\ufeff',
    '&a ',
    '*a',
    '<<: ',
    '!!binary ',
    '--- ',
  ],
  ...[
    'null',
    'true',
    '-1',
    '1e400',
    '0x7fffffff',
    '99999999999999999999',
    '__proto__',
    'constructor',
    'toString',
    '../',
    '%s',
    '\\',
  ],
  ...['{{ node.name }}', '{{', '$(x)', '\r\n', ' '.repeat(100), '['.repeat(200), '{"a":'.repeat(100), '\xff\xfe', '=', '#', '- '],
].map((word) => Buffer.from(word))

/** One input for a seed: something of the corpus, with a few changes in it. */
export function inputFor(seed: number, corpus: readonly Buffer[]): Buffer {
  const random = randomOf(seed)
  const pick = (): Buffer => corpus[random(corpus.length)] ?? Buffer.alloc(0)
  let input = pick()
  for (let left = random(MAX_CHANGES + 1); left > 0; left -= 1) input = changed(input, random, pick)
  return input.subarray(0, MAX_INPUT)
}

function changed(input: Buffer, random: (below: number) => number, pick: () => Buffer): Buffer {
  const at = random(input.length + 1)
  const end = Math.min(input.length, at + 1 + random(1 << random(9)))
  const replaced = (bytes: Buffer, until = at) => Buffer.concat([input.subarray(0, at), bytes, input.subarray(until)])
  const word = WORDS[random(WORDS.length)] ?? Buffer.alloc(0)
  switch (random(8)) {
    case 0:
      return replaced(Buffer.from([random(256)]), Math.min(input.length, at + 1))
    case 1:
      return replaced(Buffer.alloc(0), end)
    case 2:
      return replaced(input.subarray(at, end))
    case 3:
      return replaced(Buffer.concat(Array.from({ length: 1 + random(50) }, () => input.subarray(at, end))))
    case 4:
      return replaced(word, random(2) === 0 ? at : end)
    case 5:
      return input.subarray(0, at)
    case 6:
      return flipped(input, at, 1 << random(8))
    default:
      return spliced(input, pick(), { at, random })
  }
}

function flipped(input: Buffer, at: number, bits: number): Buffer {
  const copy = Buffer.from(input)
  if (at < copy.length) copy[at] = (copy[at] ?? 0) ^ bits
  return copy
}

function spliced(
  input: Buffer,
  other: Buffer,
  { at, random }: { readonly at: number; readonly random: (below: number) => number },
) {
  return Buffer.concat([input.subarray(0, at), other.subarray(random(other.length + 1))])
}

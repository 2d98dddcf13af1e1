import { COMPARISONS, type Operand, type Part, type Step } from './json-path.ts'

/** @throws {Error} that says what was expected, where, and what to write */
export function parseTemplate(text: string): readonly Part[] {
  const scanner = new Scanner(text)
  const parts = partsUntilEnd(scanner, 'end of the template')
  if (parts.every(({ kind }) => kind === 'text'))
    throw new Error(`"${text}" has no path in braces; write jsonpath='{.field}', such as '{.pools[*].name}'`)
  return parts
}

type Expected = readonly [what: string, remedy: string]

const OPEN: Expected = ['"{"', 'write a path in braces, as {.name}']
const CLOSE: Expected = ['"}", ".field" or "[…]"', 'close the path with "}"']
const PATH: Expected = ['a path such as ".pools[*].name"', 'begin the path with a dot, as {.name}, or quote text, as {"\\n"}']
const FIELD: Expected = ['the name of a field', "write it after the dot, or quote it in brackets, as ['a.b']"]
const CLOSE_RANGE: Expected = ['"}"', 'close the path of the range, as {range .pools[*]}']
const END: Expected = ['"{end}" of a {range …}', 'add {end} after the last part of the range']
const BRACKET: Expected = ['an index, "*", a name or a filter "?(…)"', "write [0], [*] or ['name']"]
const CLOSE_BRACKET: Expected = ['"]"', 'close the bracket with "]"']
const CLOSE_FILTER: Expected = ['")", or one of == != < <= > >=', 'write a filter as [?(@.phase=="Failed")]']

/** The place in the template. */
class Scanner {
  private at = 0
  private readonly text: string

  constructor(text: string) {
    this.text = text
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length
  }

  take(pattern: RegExp): RegExpExecArray | undefined {
    const sticky = new RegExp(pattern.source, 'y')
    sticky.lastIndex = this.at
    const found = sticky.exec(this.text) ?? undefined
    this.at += found?.[0].length ?? 0
    return found
  }

  expect(pattern: RegExp, expected: Expected): RegExpExecArray {
    const found = this.take(pattern)
    if (found === undefined) this.fail(expected)
    return found
  }

  fail([what, remedy]: Expected): never {
    throw new Error(`expected ${what} at ${this.place()}; ${remedy}`)
  }

  /** `character 9, "x]}"`: counted from 1, as editors do. */
  place(): string {
    const rest = this.text.slice(this.at, this.at + 20)
    return `character ${this.at + 1}, ${rest === '' ? 'the end' : `"${rest}"`}`
  }
}

/** @param end what closes them: `{end}`, or the end of the template */
function partsUntilEnd(scanner: Scanner, end: '{end}' | 'end of the template'): Part[] {
  const parts: Part[] = []
  while (!scanner.isAtEnd) {
    const place = scanner.place()
    if (scanner.take(/\{\s*end\s*\}/)) {
      if (end === '{end}') return parts
      throw new Error(`"{end}" closes no {range …} at ${place}; remove it`)
    }
    parts.push(...onePart(scanner))
  }
  return end === '{end}' ? scanner.fail(END) : parts
}

function onePart(scanner: Scanner): Part[] {
  const text = scanner.take(/[^{]+/)
  if (text) return [{ kind: 'text', text: text[0] }]
  scanner.expect(/\{\s*/, OPEN)
  const quoted = takeQuoted(scanner)
  if (quoted !== undefined) return closed(scanner, { kind: 'text', text: quoted })
  if (!scanner.take(/range\s+/)) return closed(scanner, { kind: 'path', steps: path(scanner) })
  const steps = path(scanner)
  scanner.expect(/\s*\}/, CLOSE_RANGE)
  return [{ kind: 'range', steps, parts: partsUntilEnd(scanner, '{end}') }]
}

function closed(scanner: Scanner, part: Part): Part[] {
  scanner.expect(/\s*\}/, CLOSE)
  return [part]
}

function takeQuoted(scanner: Scanner): string | undefined {
  const [, single, double] = scanner.take(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/) ?? []
  return (single ?? double)?.replace(/\\(.)/g, (_, letter: string) => ESCAPES[letter] ?? letter)
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

function path(scanner: Scanner): Step[] {
  const steps: Step[] = scanner.take(/\$/) ? [{ kind: 'root' }] : []
  if (steps.length === 0 && !scanner.take(/@/) && !scanner.take(/(?=[.[])/)) scanner.fail(PATH)
  for (let step = oneStep(scanner); step !== undefined; step = oneStep(scanner)) steps.push(...step)
  return steps
}

const NAME = /(?:[\w/-]|\\.)+/

function oneStep(scanner: Scanner): Step[] | undefined {
  if (scanner.take(/\.\./)) return [{ kind: 'below' }, ...(scanner.take(/(?=\[)/) ? [] : field(scanner))]
  if (scanner.take(/\[/)) return [bracket(scanner)]
  // "{.}" is the document itself.
  if (scanner.take(/\.(?=\s*[}[])/)) return []
  return scanner.take(/\./) ? field(scanner) : undefined
}

function field(scanner: Scanner): Step[] {
  if (scanner.take(/\*/)) return [{ kind: 'every' }]
  const [name] = scanner.expect(NAME, FIELD)
  return [{ kind: 'fields', names: [name.replace(/\\(.)/g, '$1')] }]
}

function bracket(scanner: Scanner): Step {
  const step = scanner.take(/\*/) ? ({ kind: 'every' } as const) : (filter(scanner) ?? names(scanner) ?? numbers(scanner))
  scanner.expect(/\s*\]/, CLOSE_BRACKET)
  return step
}

function names(scanner: Scanner): Step | undefined {
  const found: string[] = []
  for (let name = takeQuoted(scanner); name !== undefined; name = scanner.take(/\s*,\s*/) && takeQuoted(scanner)) found.push(name)
  return found.length === 0 ? undefined : { kind: 'fields', names: found }
}

function numbers(scanner: Scanner): Step {
  const [, from = '', colon, to = ''] = scanner.expect(/(?=[-:\d])(-?\d+)?(:)?(-?\d+)?/, BRACKET)
  if (colon === undefined) return { kind: 'index', at: Number(from) }
  return { kind: 'slice', ...(from !== '' && { from: Number(from) }), ...(to !== '' && { to: Number(to) }) }
}

function filter(scanner: Scanner): Step | undefined {
  if (!scanner.take(/\?\(\s*/)) return undefined
  const left = operand(scanner)
  const [, is] = scanner.take(/\s*(==|!=|<=|>=|<|>)\s*/) ?? []
  const comparison = COMPARISONS.find((each) => each === is)
  const right = comparison && operand(scanner)
  scanner.expect(/\s*\)/, CLOSE_FILTER)
  return { kind: 'filter', left, ...(comparison && right !== undefined && { test: { is: comparison, right } }) }
}

function operand(scanner: Scanner): Operand {
  const quoted = takeQuoted(scanner)
  if (quoted !== undefined) return quoted
  const [word] = scanner.take(/true|false|-?\d+(?:\.\d+)?/) ?? []
  if (word === undefined) return path(scanner)
  return word === 'true' || word === 'false' ? word === 'true' : Number(word)
}

import { LABEL_KEY } from '../schema/values.ts'
import { didYouMean } from '../suggest.ts'
import {
  type Expression,
  ExpressionError,
  type FunctionName,
  LONGEST_EXPRESSION,
  NUMBER_FACTS,
  type NumberFact,
} from './expression.ts'

/** Units of memory, in bytes. */
const UNITS: Readonly<Record<string, number>> = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 }
const NAMED: readonly string[] = ['min', 'max', 'floor']
const TOKEN =
  /\s*(?:(?<number>\d+(?:\.\d+)?)(?<unit>[KMGT]i)?(?![\w.])|node\.labels\["(?<label>[^"]*)"\]|(?<name>[A-Za-z][\w.]*)|(?<sign>[-+*/(),]))\s*/y

interface Token {
  readonly text: string
  readonly groups: Readonly<Record<string, string | undefined>>
}

/**
 * `+ - * /`, parentheses, `min`, `max`, `floor`; numbers, also with a unit such as `4Gi`; `node.cpu`, `node.memory`, `node.labels["key"]`.
 * @throws {ExpressionError} saying what is wrong with the text
 */
export function parseExpression(text: string): Expression {
  if (text.length > LONGEST_EXPRESSION) throw new ExpressionError(`it is longer than ${LONGEST_EXPRESSION} characters`)
  const tokens = tokensOf(text)
  const parser = new Parser(tokens)
  const expression = parser.sum()
  if (parser.next !== undefined) throw new ExpressionError(`"${parser.next.text}" is not expected there`)
  return expression
}

export function isExpression(text: string): boolean {
  try {
    parseExpression(text)
    return true
  } catch (error) {
    if (error instanceof ExpressionError) return false
    throw error
  }
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  TOKEN.lastIndex = 0
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at
    const match = TOKEN.exec(text)
    if (match === null) throw new ExpressionError(`"${text.slice(at, at + 20)}" cannot be read`)
    tokens.push({ text: match[0].trim(), groups: match.groups ?? {} })
  }
  return tokens
}

class Parser {
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  get next(): Token | undefined {
    return this.#tokens[this.#at]
  }

  sum(): Expression {
    return this.#chain(['+', '-'], () => this.#chain(['*', '/'], () => this.#factor()))
  }

  #chain(signs: readonly string[], part: () => Expression): Expression {
    let left = part()
    for (let sign = this.next?.text; sign !== undefined && signs.includes(sign); sign = this.next?.text) {
      this.#at++
      left = call(sign as FunctionName, [left, part()])
    }
    return left
  }

  #factor(): Expression {
    const token = this.next
    if (token === undefined) throw new ExpressionError('it ends too early')
    this.#at++
    const { number, unit, label, name } = token.groups
    if (number !== undefined) return { kind: 'number', value: Number(number) * (UNITS[unit ?? ''] ?? 1) }
    if (label !== undefined) return labelNamed(label)
    if (name !== undefined) return this.#named(name)
    if (token.text === '-') return call('-', [{ kind: 'number', value: 0 }, this.#factor()])
    if (token.text !== '(') throw new ExpressionError(`"${token.text}" is not expected there`)
    const inner = this.sum()
    this.#expect(')')
    return inner
  }

  #named(name: string): Expression {
    if ((NUMBER_FACTS as readonly string[]).includes(name)) return { kind: 'fact', name: name as NumberFact }
    if (!NAMED.includes(name)) throw new ExpressionError(unknownName(name))
    this.#expect('(')
    const of = [this.sum()]
    while (this.next?.text === ',') {
      this.#at++
      of.push(this.sum())
    }
    this.#expect(')')
    if ((name === 'floor') !== (of.length === 1))
      throw new ExpressionError(name === 'floor' ? '"floor" takes one number' : `"${name}" takes two numbers or more`)
    return call(name as FunctionName, of)
  }

  #expect(text: string): void {
    if (this.next?.text !== text)
      throw new ExpressionError(`expected "${text}" ${this.next ? `instead of "${this.next.text}"` : 'at its end'}`)
    this.#at++
  }
}

function call(name: FunctionName, of: readonly Expression[]): Expression {
  return { kind: 'call', name, of }
}

function labelNamed(key: string): Expression {
  if (!LABEL_KEY.test(key)) throw new ExpressionError(`"${key}" is not the key of a label`)
  return { kind: 'label', key }
}

function unknownName(name: string): string {
  if (name.startsWith('node.labels')) return 'in arithmetic a label is written as node.labels["key"]'
  const known = [...NAMED, ...NUMBER_FACTS]
  return `"${name}" is unknown; ${didYouMean(name, known) ?? `known: ${known.join(', ')}`}`
}

import { type Expression, ExpressionError, evaluate } from '../repo/expressions/expression.ts'
import { parseExpression } from '../repo/expressions/parse-expression.ts'
import type { NodeFacts } from './node-facts.ts'

/** Whole numbers beyond it lose digits. */
const MOST = Number.MAX_SAFE_INTEGER

/** Each is read once, and not again for each of thousands of nodes. */
const parsed = new Map<string, Expression | ExpressionError>()
const MOST_PARSED = 10_000

/** What is wrong with the text, whatever the node. */
export function expressionMistake(text: string): string | undefined {
  const expression = parse(text)
  return expression instanceof ExpressionError ? expression.message : undefined
}

/** As decimal digits. @returns undefined when the node does not have a fact, or nothing comes of it that is a number */
export function numberOn(text: string, node: NodeFacts): string | undefined {
  const expression = parse(text)
  if (expression instanceof ExpressionError) return undefined
  const value = evaluate(expression, (fact) => factOn(fact, node))
  return value === undefined || !isSound(value) ? undefined : String(Number(value.toFixed(6)))
}

/** Why there is none. */
export function whyNoNumber(text: string, node: NodeFacts): string | undefined {
  const expression = parse(text)
  if (expression instanceof ExpressionError) return expression.message
  const lacking = factsIn(expression).find((fact) => factOn(fact, node) === undefined)
  return lacking === undefined ? 'it divides by zero, or the result is too large' : whyLacking(lacking, node)
}

function whyLacking(fact: Expression, { labels }: NodeFacts): string {
  if (fact.kind !== 'label')
    return `the node does not report its capacity of ${fact.kind === 'fact' ? fact.name.slice('node.'.length) : 'it'}`
  return Object.hasOwn(labels, fact.key)
    ? `its label "${fact.key}" is "${labels[fact.key]}", and not a number`
    : `it has no label "${fact.key}"`
}

function parse(text: string): Expression | ExpressionError {
  const known = parsed.get(text)
  if (known !== undefined) return known
  const made = orError(() => parseExpression(text))
  if (parsed.size >= MOST_PARSED) parsed.clear()
  parsed.set(text, made)
  return made
}

function orError(work: () => Expression): Expression | ExpressionError {
  try {
    return work()
  } catch (error) {
    if (error instanceof ExpressionError) return error
    throw error
  }
}

function isSound(value: number): boolean {
  return Number.isFinite(value) && Math.abs(value) <= MOST
}

function factsIn(expression: Expression): Expression[] {
  if (expression.kind === 'call') return expression.of.flatMap(factsIn)
  return expression.kind === 'number' ? [] : [expression]
}

function factOn(fact: Expression, node: NodeFacts): number | undefined {
  if (fact.kind === 'fact') return fact.name === 'node.cpu' ? node.cpu : node.memory
  return fact.kind === 'label' && Object.hasOwn(node.labels, fact.key) ? labelNumber(node.labels[fact.key] ?? '') : undefined
}

/** Labels cannot have units with a point of their own, so a number with one is read as it stands. */
function labelNumber(text: string): number | undefined {
  return /^\d{1,15}(?:\.\d{1,6})?$/.test(text) ? Number(text) : undefined
}

/** Arithmetic over facts of a node, as it stands between braces. There are no loops, no texts and no code, so each ends at once. */
export type Expression =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'fact'; readonly name: NumberFact }
  | { readonly kind: 'label'; readonly key: string }
  | { readonly kind: 'call'; readonly name: FunctionName; readonly of: readonly Expression[] }

export const NUMBER_FACTS = ['node.cpu', 'node.memory'] as const
export type NumberFact = (typeof NUMBER_FACTS)[number]

/** Operators are calls as well. */
export const FUNCTIONS = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  min: (...all) => Math.min(...all),
  max: (...all) => Math.max(...all),
  floor: (value) => Math.floor(value),
} as const satisfies Record<string, (...args: number[]) => number>
export type FunctionName = keyof typeof FUNCTIONS

/** Characters; what is longer nobody reviews. */
export const LONGEST_EXPRESSION = 1000

export class ExpressionError extends Error {
  override readonly name = 'ExpressionError'
}

/** Whether an expression takes nothing from a node. */
export function isConstant(expression: Expression): boolean {
  return expression.kind === 'number' || (expression.kind === 'call' && expression.of.every(isConstant))
}

/** The number, with facts from elsewhere. @returns undefined when one is not there; what is no number may come of a division by zero */
export function evaluate(expression: Expression, factOf: (fact: Expression) => number | undefined): number | undefined {
  if (expression.kind === 'number') return expression.value
  if (expression.kind !== 'call') return factOf(expression)
  const values = expression.of.map((each) => evaluate(each, factOf))
  if (!values.every((value) => value !== undefined)) return undefined
  return (FUNCTIONS[expression.name] as (...args: number[]) => number)(...values)
}

import { parseQuantity } from '../../protocol/quantity.ts'
import { evaluate } from '../expressions/expression.ts'
import { isExpression, parseExpression } from '../expressions/parse-expression.ts'
import { isQuantity } from './quantity.ts'

const EXPRESSION = /\{\{([^{}]*)\}\}/g
/** Bytes of memory of machines from small to large. */
const MACHINES = [1, 16, 256, 4096].map((gibibytes) => gibibytes * 2 ** 30)

export function isTemplate(text: string): boolean {
  return text.includes('{{')
}

/** What a text with expressions reads like on a node where each of them comes to 1. What is no arithmetic, comes to no number. */
export function quantityOfOnes(text: string): string {
  return text.replace(EXPRESSION, (whole, expression) => (isExpression(expression) ? '1' : whole))
}

/** Whether a text by `node.memory` comes to more than the memory of the machine, whichever that is. */
export function exceedsMemory(text: string): boolean {
  return isTemplate(text) && isQuantity(quantityOfOnes(text)) && MACHINES.every((memory) => bytesOn(text, memory) > memory)
}

/** @returns 0 when it depends on other facts */
function bytesOn(text: string, memory: number): number {
  const calculated = text.replace(EXPRESSION, (_, expression) => {
    const value = evaluate(parseExpression(expression), (fact) =>
      fact.kind === 'fact' && fact.name === 'node.memory' ? memory : undefined,
    )
    return value === undefined ? '0' : value.toFixed(6)
  })
  return parseQuantity(calculated) ?? 0
}

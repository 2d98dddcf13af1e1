import { Document, type ToStringOptions, visit } from 'yaml'
import { OBEYED } from './json-text.ts'

/** Whoever parses it gets the same value. Equal parts are written out each time: not every reader knows aliases. */
export function yamlText(value: unknown, options: ToStringOptions = {}): string {
  const document = new Document(value, { aliasDuplicateObjects: false })
  visit(document, {
    Scalar: (_, node) => void (isObeyed(node.value) && Object.assign(node, { type: 'QUOTE_DOUBLE' })),
  })
  return document.toString(options).replace(OBEYED, escaped)
}

function isObeyed(value: unknown): boolean {
  return typeof value === 'string' && value.search(OBEYED) !== -1
}

function escaped(character: string): string {
  return `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`
}

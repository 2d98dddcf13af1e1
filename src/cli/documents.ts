import { fillTemplate } from './output/json-path.ts'
import { jsonText } from './output/json-text.ts'
import { parseTemplate } from './output/parse-json-path.ts'
import { yamlText } from './output/yaml-text.ts'
import { printable } from './printable.ts'

export const JSON_PATH = 'jsonpath='

/** What programs read; in every command that prints. */
export type DocumentFormat = 'json' | 'yaml' | `${typeof JSON_PATH}${string}`

export function isDocumentFormat(output: string): output is DocumentFormat {
  return output === 'json' || output === 'yaml' || output.startsWith(JSON_PATH)
}

/** The value as a document of its own, with a line break at its end. */
export function asDocument(value: unknown, format: DocumentFormat): string {
  // By way of JSON, so that all say the same: no undefined, dates as text.
  const json = jsonText(value)
  if (format === 'json') return json
  if (format === 'yaml') return yamlText(JSON.parse(json))
  return asTemplate(JSON.parse(json), format.slice(JSON_PATH.length))
}

/** Without a line break of its own, as kubectl prints it. Nodes write some of the text: a terminal must not obey it. */
function asTemplate(document: unknown, template: string): string {
  const filled = fillTemplate(parseTemplate(template), { root: document, at: document })
  return filled.replace(/[^\n\t]+/g, printable)
}

import { type DocumentOptions, type ParseOptions, parseDocument } from 'yaml'
import { repeatedKey } from '../../protocol/repeated-key.ts'

/** As `parse` of the parser, which takes minutes for tens of thousands of keys: an agent that is silent for so long is killed. @throws {Error} */
export function parseYaml(text: string, options: DocumentOptions & ParseOptions = {}): unknown {
  const document = parseDocument(text, { ...options, uniqueKeys: false })
  const [error] = document.errors
  if (error !== undefined) throw error
  const repeated = repeatedKey(document)
  if (repeated) throw new Error(`"${String(repeated.key)}" is defined twice`)
  return document.toJS()
}

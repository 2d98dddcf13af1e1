import { InvalidArgumentError, Option } from 'commander'
import { JSON_PATH } from '../documents.ts'
import { parseTemplate } from './parse-json-path.ts'

/** Of commands that print: these formats, and templates of kubectl. */
export function outputOption(formats: readonly string[] = ['text', 'json', 'yaml']): Option {
  return new Option('-o, --output <format>', `output format, or ${JSON_PATH}TEMPLATE`)
    .choices(formats)
    .argParser((text: string) => judged(text, formats))
    .default('text')
}

/** A template is judged before anything is asked or done. */
function judged(text: string, formats: readonly string[]): string {
  if (formats.includes(text)) return text
  if (!text.startsWith(JSON_PATH))
    throw new InvalidArgumentError(`Allowed choices are ${formats.join(', ')}, ${JSON_PATH}TEMPLATE.`)
  try {
    parseTemplate(text.slice(JSON_PATH.length))
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error))
  }
  return text
}

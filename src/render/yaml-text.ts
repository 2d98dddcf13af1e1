import { byText } from '../protocol/by-text.ts'
import type { Json } from '../protocol/digest.ts'

/**
 * YAML that stays the same for ever: the digest of a node is taken over this text, so a library's next release must not be able to
 * lay it out in another way and roll every fleet. Block style, sorted keys; what readers of YAML 1.1 and 1.2 might see differently is in quotes.
 */
export function yamlText(value: Json): string {
  return `${lines(value).join('\n')}\n`
}

type Collection = readonly Json[] | { readonly [key: string]: Json | undefined }

function lines(value: Json): string[] {
  if (!isFilled(value)) return [inline(value)]
  if (Array.isArray(value)) return value.flatMap((item) => hang('- ', lines(item)))
  return Object.entries(value)
    .filter((entry): entry is [string, Json] => entry[1] !== undefined)
    .sort(byText(([key]) => key))
    .flatMap(([key, member]) => memberLines(text(key), member))
}

function memberLines(key: string, member: Json): string[] {
  return isFilled(member) ? [`${key}:`, ...lines(member).map((line) => `  ${line}`)] : [`${key}: ${inline(member)}`]
}

function hang(bullet: string, [first = '', ...rest]: readonly string[]): string[] {
  return [bullet + first, ...rest.map((line) => ' '.repeat(bullet.length) + line)]
}

function isFilled(value: Json): value is Collection {
  if (value === null || typeof value !== 'object') return false
  return Array.isArray(value) ? value.length > 0 : Object.values(value).some((member) => member !== undefined)
}

function inline(value: Json): string {
  if (typeof value === 'string') return text(value)
  return typeof value === 'object' && value !== null ? (Array.isArray(value) ? '[]' : '{}') : String(value)
}

/** Words of YAML 1.1 that are not strings. */
const RESERVED = /^(?:y|n|yes|no|on|off|true|false|null)$/i
const PLAIN = /^[A-Za-z/][A-Za-z0-9/_.-]*$/
/** JSON leaves these as they are; YAML wants them escaped. */
const UNPRINTABLE = /[\p{Cc}\p{Noncharacter_Code_Point}\u2028\u2029\ufeff]/gu

function text(value: string): string {
  if (PLAIN.test(value) && !RESERVED.test(value)) return value
  return JSON.stringify(value).replace(UNPRINTABLE, escapeCharacter)
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}

import type { Path } from '../source.ts'
import { didYouMean } from '../suggest.ts'
import type { KnowledgeFinding } from './finding.ts'
import type { Knowledge } from './knowledge.ts'
import { LATER_WORDS, VALUE_RULES, type ValueRule } from './value-rules.ts'

/** A value of the right type that the kubelet refuses all the same. @param place `Struct.field` */
export function valueFindings(
  { place, value, name }: { readonly place: string; readonly value: unknown; readonly name: string },
  { path, knowledge }: { readonly path: Path; readonly knowledge: Knowledge },
): KnowledgeFinding[] {
  if (isTemplate(value)) return []
  const expected =
    expectedNumber(place, value, knowledge) ?? expectedWord(place, value, knowledge) ?? expectedByRule(place, value, knowledge)
  if (expected === undefined) return []
  const message = `expected ${name} to be ${expected.text}; ${knowledge.subject} accepts nothing else`
  return [{ path, reason: 'InvalidValue', part: 'value', message, remedy: expected.remedy }]
}

interface Expected {
  readonly text: string
  readonly remedy?: string | undefined
}

function isTemplate(value: unknown): boolean {
  return typeof value === 'string' && value.includes('{{')
}

function expectedNumber(place: string, value: unknown, { ranges }: Knowledge): Expected | undefined {
  const range = ranges.get(place)
  if (range === undefined || typeof value !== 'number') return undefined
  const [least, most] = range
  return least <= value && value <= most ? undefined : { text: `a whole number from ${least} to ${most}` }
}

/** One word, or a list of them. */
function expectedWord(place: string, value: unknown, { words }: Knowledge): Expected | undefined {
  const taken = words.get(place) ?? LATER_WORDS[place]
  if (taken === undefined) return undefined
  const wrong = (Array.isArray(value) ? value : [value]).find((word) => word !== '' && !taken.includes(String(word)))
  if (wrong === undefined) return undefined
  const named = taken.filter((word) => word !== '')
  return { text: `one of ${named.map((word) => `"${word}"`).join(', ')}`, remedy: didYouMean(String(wrong), named) }
}

function expectedByRule(place: string, value: unknown, { minor }: Knowledge): Expected | undefined {
  const rule = VALUE_RULES[place]
  if (rule === undefined || (rule.since !== undefined && minor !== undefined && minor < rule.since)) return undefined
  return rule.takes(value) ? undefined : { text: rule.expected, remedy: wrongEntry(value, rule) }
}

/** Of a map, the entries that are wrong by themselves. */
function wrongEntry(value: unknown, { takes }: ValueRule): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const wrong = Object.entries(value).filter(([key, each]) => !takes({ [key]: each }))
  return wrong.length === 0 ? undefined : `correct  ${wrong.map(([key, each]) => `${key}: ${each}`).join(', ')}`
}

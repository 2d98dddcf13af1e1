import type { Json } from '../protocol/digest.ts'
import { NUMBER_FACTS } from '../repo/expressions/expression.ts'
import { LABEL_KEY } from '../repo/schema/values.ts'
import type { NodeFacts } from './node-facts.ts'
import { expressionMistake, numberOn, whyNoNumber } from './node-numbers.ts'

/**
 * `{{ node.name }}`, `{{ node.arch }}`, `{{ node.osImage }}`, `{{ node.internalIP }}` and `{{ node.labels.<key> }}`, where the key is all
 * that follows, dots and slashes included: `{{ node.labels.topology.kubernetes.io/zone }}`. Anything else is arithmetic: see expression.ts.
 */
/** Spaces are trimmed afterwards: beside a text of anything, a search for them takes the cube of their number. */
const TEMPLATE = /\{\{([^{}]*)\}\}/g
const LABEL = 'node.labels.'
const FACTS = {
  'node.name': (node: NodeFacts) => node.name,
  'node.arch': (node: NodeFacts) => node.arch,
  'node.osImage': (node: NodeFacts) => node.osImage,
  'node.internalIP': (node: NodeFacts) => node.internalIP,
} as const

/**
 * Who has the credential of a kubelet writes these, and templates put them into files that root runs and reads: so they are no text that a
 * shell, YAML or a unit could take for more. The API server bounds names and labels by itself.
 */
const FORMS: Readonly<Record<string, RegExp>> = {
  'node.arch': /^[a-z0-9_]{1,20}$/,
  'node.osImage': /^[A-Za-z0-9](?:[A-Za-z0-9 ./()_+,~-]|:(?! )){0,200}$/,
  'node.internalIP': /^[0-9A-Fa-f.:]{2,45}(?:%[A-Za-z0-9_.-]{1,16})?$/,
}

/** What a value takes from the node, such as `node.name`; each once, in no particular order. A value without any is the same on every node. */
export function referencesIn(value: Json): string[] {
  const found = new Set<string>()
  for (const text of stringsIn(value)) for (const [, reference] of templatesIn(text)) found.add(reference)
  return [...found]
}

/** One template and nothing beside it. */
export function isWholeTemplate(text: string): boolean {
  return /^\{\{[^{}]*\}\}$/.test(text)
}

/** What no node could ever fill in: an unknown name, or braces that do not close. undefined when all is well. */
export function templateMistake(value: Json): string | undefined {
  for (const text of stringsIn(value)) {
    if (text.replace(TEMPLATE, '').includes('{{')) return `"${text}" opens {{ and does not close it`
    for (const [template, reference] of templatesIn(text)) {
      const mistake = isText(reference) ? undefined : expressionMistake(reference)
      if (mistake === undefined) continue
      if (WORD.test(reference)) return `"${template}" is unknown; known: ${KNOWN}`
      return `"${template}" is no expression: ${mistake}`
    }
  }
  return undefined
}

/** Of one word, which nobody meant as arithmetic. */
const WORD = /^[A-Za-z][\w./-]*$/
const KNOWN = `${[...Object.keys(FACTS), ...NUMBER_FACTS].join(', ')} and ${LABEL}<key>`

/** @returns undefined when the node does not have it: no such label, or nothing reported that could be one. A label may well be empty. */
export function resolveReference(reference: string, node: NodeFacts): string | undefined {
  if (!isText(reference)) return numberOn(reference, node)
  return hasUnfitFact(reference, node) ? undefined : reported(reference, node)
}

/** Why the node cannot fill it in. */
export function whyUnresolved(reference: string, node: NodeFacts): string {
  const braces = `{{ ${reference} }}`
  if (hasUnfitFact(reference, node)) return `node "${node.name}" reports a value that cannot be one of ${braces}; see its status`
  const why = isText(reference) ? undefined : whyNoNumber(reference, node)
  if (why !== undefined) return `node "${node.name}" has no number for ${braces}: ${why}`
  return `node "${node.name}" has nothing to put in place of ${braces}`
}

/** What the kubelet reported is no address, no architecture or no name of an operating system. */
export function hasUnfitFact(reference: string, node: NodeFacts): boolean {
  const value = reported(reference, node)
  return value !== undefined && Object.hasOwn(FORMS, reference) && !FORMS[reference]?.test(value)
}

function reported(reference: string, node: NodeFacts): string | undefined {
  if (Object.hasOwn(FACTS, reference)) return FACTS[reference as keyof typeof FACTS](node) || undefined
  const label = reference.slice(LABEL.length)
  return reference.startsWith(LABEL) && Object.hasOwn(node.labels, label) ? node.labels[label] : undefined
}

/** The value with every reference replaced. Only strings that are values have templates; keys are taken as they are. */
export function fillTemplates<Value extends Json>(value: Value, resolved: ReadonlyMap<string, string>): Value {
  return fill(value, resolved) as Value
}

function fill(value: Json | undefined, resolved: ReadonlyMap<string, string>): Json | undefined {
  if (typeof value === 'string')
    return value.replace(TEMPLATE, (template, reference: string) => resolved.get(reference.trim()) ?? template)
  if (Array.isArray(value)) return value.map((item) => fill(item, resolved) ?? null)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fill(member, resolved)]))
}

function templatesIn(text: string): (readonly [template: string, reference: string])[] {
  return [...text.matchAll(TEMPLATE)].map(([template, reference = '']) => [template, reference.trim()])
}

/** Filled in as the node reports it; anything else is arithmetic. */
function isText(reference: string): boolean {
  return Object.hasOwn(FACTS, reference) || (reference.startsWith(LABEL) && LABEL_KEY.test(reference.slice(LABEL.length)))
}

function* stringsIn(value: Json | undefined): Generator<string> {
  if (typeof value === 'string') yield value
  else if (value !== null && typeof value === 'object') for (const member of Object.values(value)) yield* stringsIn(member)
}

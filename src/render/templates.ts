import type { Json } from '../protocol/digest.ts'
import type { NodeFacts } from './node-facts.ts'

/**
 * `{{ node.name }}`, `{{ node.arch }}`, `{{ node.osImage }}`, `{{ node.internalIP }}` and `{{ node.labels.<key> }}`, where the key is all
 * that follows, dots and slashes included: `{{ node.labels.topology.kubernetes.io/zone }}`. There is nothing else, by intent.
 */
const TEMPLATE = /\{\{\s*([^{}]*?)\s*\}\}/g
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
  for (const text of stringsIn(value)) for (const [, reference] of text.matchAll(TEMPLATE)) found.add(reference ?? '')
  return [...found]
}

/** What no node could ever fill in: an unknown name, or braces that do not close. undefined when all is well. */
export function templateMistake(value: Json): string | undefined {
  for (const text of stringsIn(value)) {
    if (text.replace(TEMPLATE, '').includes('{{')) return `"${text}" opens {{ and does not close it`
    const unknown = [...text.matchAll(TEMPLATE)].find(([, reference = '']) => !isKnown(reference))
    if (unknown) return `"${unknown[0]}" is unknown; known: ${Object.keys(FACTS).join(', ')} and ${LABEL}<key>`
  }
  return undefined
}

/** @returns undefined when the node does not have it: no such label, or nothing reported that could be one. A label may well be empty. */
export function resolveReference(reference: string, node: NodeFacts): string | undefined {
  return hasUnfitFact(reference, node) ? undefined : reported(reference, node)
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
    return value.replace(TEMPLATE, (template, reference: string) => resolved.get(reference) ?? template)
  if (Array.isArray(value)) return value.map((item) => fill(item, resolved) ?? null)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fill(member, resolved)]))
}

function isKnown(reference: string): boolean {
  return Object.hasOwn(FACTS, reference) || (reference.startsWith(LABEL) && reference.length > LABEL.length)
}

function* stringsIn(value: Json | undefined): Generator<string> {
  if (typeof value === 'string') yield value
  else if (value !== null && typeof value === 'object') for (const member of Object.values(value)) yield* stringsIn(member)
}

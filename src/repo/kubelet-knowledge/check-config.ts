import { isExpression } from '../expressions/parse-expression.ts'
import type { KubeletFields } from '../schema/common.ts'
import type { Path } from '../source.ts'
import { gateFindings } from './check-gates.ts'
import { valueFindings } from './check-value.ts'
import type { KnowledgeFinding } from './finding.ts'
import { GO_DURATION } from './go-duration.ts'
import { fieldLifetime, type Knowledge, knowledgeOf, ROOT_TYPE } from './knowledge.ts'
import { remedyFor } from './remedy.ts'

const TEMPLATE = /\{\{/

/** Fields that a kubelet of this version does not have, and values that it does not take. The kubelet itself takes a misspelt field without a word. */
export function checkConfig(config: KubeletFields, version: string | undefined): KnowledgeFinding[] {
  const context = { knowledge: knowledgeOf(version), version }
  return [...checkStruct(config, ROOT_TYPE, [], context), ...checkGates(config.featureGates, version)]
}

interface Context {
  readonly knowledge: Knowledge
  readonly version: string | undefined
}

function checkStruct(value: object, owner: string, path: Path, context: Context): KnowledgeFinding[] {
  const fields = context.knowledge.fields.get(owner)
  return Object.entries(value).flatMap(([name, child]) => {
    const type = fields?.get(name)
    if (type === undefined) return [unknownField(name, owner, path, context)]
    return checkField({ place: `${owner}.${name}`, value: child, type }, [...path, name], context)
  })
}

function unknownField(name: string, owner: string, path: Path, { knowledge, version }: Context): KnowledgeFinding {
  const lifetime = fieldLifetime(owner, name, version)
  const message = `configuration field "${[...path, name].join('.')}" is not known to ${knowledge.subject}${lifetime ? ` (${lifetime})` : ''}`
  const remedy = remedyFor(name, { lifetime, known: knowledge.fields.get(owner)?.keys() ?? [] })
  return { path: [...path, name], reason: 'UnknownField', part: 'key', message, remedy }
}

interface Field {
  /** `Struct.field` */
  readonly place: string
  readonly value: unknown
  readonly type: string
}

/** What is of another type is not looked at closer. */
function checkField({ place, value, type }: Field, path: Path, context: Context): KnowledgeFinding[] {
  const found = checkValue(value, type, path, context)
  if (found.length > 0 || value === null) return found
  return valueFindings({ place, value, name: `"${path.join('.')}"` }, { path, knowledge: context.knowledge })
}

/** null is allowed everywhere: it takes out what an earlier document set. */
function checkValue(value: unknown, type: string, path: Path, context: Context): KnowledgeFinding[] {
  if (value === null) return []
  if (type.startsWith('[]')) {
    if (!Array.isArray(value)) return [wrongType(path, 'a list')]
    return value.flatMap((item, index) => checkValue(item, type.slice(2), [...path, index], context))
  }
  const scalar = SCALARS[type]
  if (scalar) return scalar.accepts(value) ? [] : [wrongType(path, scalar.expected)]
  if (typeof value !== 'object' || Array.isArray(value)) return [wrongType(path, 'a map')]
  if (!type.startsWith('{}')) return checkStruct(value, type, path, context)
  return Object.entries(value).flatMap(([key, item]) => checkValue(item, type.slice(2), [...path, key], context))
}

interface Scalar {
  readonly expected: string
  readonly accepts: (value: unknown) => boolean
}

const SCALARS: Readonly<Record<string, Scalar>> = {
  string: { expected: 'a string', accepts: (value) => typeof value === 'string' },
  bool: { expected: 'true or false', accepts: (value) => typeof value === 'boolean' },
  int: { expected: 'a whole number', accepts: (value) => Number.isSafeInteger(value) || isArithmetic(value) },
  number: { expected: 'a number', accepts: (value) => typeof value === 'number' || isArithmetic(value) },
  duration: { expected: 'a duration such as "10s" or "1m30s"', accepts: isDuration },
  /** Nanoseconds are what this one was counted in before it became a duration; kubeadm still writes 0. */
  interval: { expected: 'a duration such as "5s"', accepts: (value) => isDuration(value) || Number.isSafeInteger(value) },
  quantity: {
    expected: 'a quantity such as "500Mi"',
    accepts: (value) => typeof value === 'string' || typeof value === 'number',
  },
  time: { expected: 'a time such as "2026-11-21T08:00:00Z"', accepts: (value) => typeof value === 'string' },
}

/** A number once the facts of a node are in it. A fact alone that is text, such as the name of a node, is none. */
function isArithmetic(value: unknown): boolean {
  const [, text] = (typeof value === 'string' && /^\{\{([^{}]*)\}\}$/.exec(value)) || []
  return text !== undefined && isExpression(text)
}

function isDuration(value: unknown): boolean {
  return typeof value === 'string' && (GO_DURATION.test(value) || TEMPLATE.test(value))
}

function wrongType(path: Path, expected: string): KnowledgeFinding {
  return { path, reason: 'InvalidValue', part: 'value', message: `expected "${path.join('.')}" to be ${expected}` }
}

function checkGates(gates: unknown, version: string | undefined): KnowledgeFinding[] {
  if (gates === null || typeof gates !== 'object') return []
  return Object.entries(gates).flatMap(([name, value]) =>
    gateFindings({ name, value: typeof value === 'boolean' ? value : null }, ['featureGates', name], version),
  )
}

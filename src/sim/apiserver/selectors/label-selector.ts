import type { StringMap } from '../api-object.ts'
import type { Json, JsonObject } from '../json.ts'
import { arrayAt, isObject, objectAt, textAt } from '../json.ts'
import { badRequest } from '../status-error.ts'

export type LabelMatch = (labels: StringMap) => boolean

const KEY = '[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?'
const SET = new RegExp(`^(${KEY})\\s+(in|notin)\\s+\\(([^()]*)\\)$`)
const EQUALITY = new RegExp(`^(${KEY})\\s*(=|==|!=)\\s*([-A-Za-z0-9_.]*)$`)
const EXISTS = new RegExp(`^(!?)\\s*(${KEY})$`)

/**
 * `a=b,c!=d,e in (f,g),h,!i`, as the query parameter has it.
 * @throws {StatusError} 400
 */
export function parseLabelSelector(selector: string): LabelMatch {
  const requirements = partsOf(selector).map((part) => parseRequirement(part, selector))
  return (labels) => requirements.every((matches) => matches(labels))
}

function parseRequirement(part: string, whole: string): LabelMatch {
  const set = SET.exec(part)
  if (set) {
    const [, key = '', operator, list = ''] = set
    const values = list.split(',').map((value) => value.trim())
    return operator === 'in' ? isIn(key, values) : (labels) => !isIn(key, values)(labels)
  }
  const equality = EQUALITY.exec(part)
  if (equality) {
    const [, key = '', operator, value = ''] = equality
    return operator === '!=' ? (labels) => labels[key] !== value : (labels) => labels[key] === value
  }
  const exists = EXISTS.exec(part)
  if (!exists) throw badRequest(`unable to parse requirement: found '${part}', in selector "${whole}"`)
  const [, not, key = ''] = exists
  return not ? (labels) => !(key in labels) : (labels) => key in labels
}

function partsOf(selector: string): string[] {
  if (selector === '') return []
  return selector
    .split(/,(?![^()]*\))/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function isIn(key: string, values: readonly string[]): LabelMatch {
  return (labels) => key in labels && values.includes(labels[key] ?? '')
}

/** A LabelSelector object, as a PodDisruptionBudget has it. An empty one matches everything, none at all nothing. */
export function labelSelectorMatch(selector: Json | undefined): LabelMatch {
  if (!isObject(selector)) return () => false
  const wanted = Object.entries(objectAt(selector, 'matchLabels'))
  const expressions = arrayAt(selector, 'matchExpressions').map((expression) => expressionMatch(expression as JsonObject))
  return (labels) => wanted.every(([key, value]) => labels[key] === value) && expressions.every((matches) => matches(labels))
}

function expressionMatch(expression: JsonObject): LabelMatch {
  const key = textAt(expression, 'key')
  const values = arrayAt(expression, 'values').map(String)
  switch (expression.operator) {
    case 'In':
      return isIn(key, values)
    case 'NotIn':
      return (labels) => !isIn(key, values)(labels)
    case 'Exists':
      return (labels) => key in labels
    default:
      return (labels) => !(key in labels)
  }
}

import type { ApiObject } from '../api-object.ts'
import { badRequest } from '../status-error.ts'

export type FieldLabels = { readonly [label: string]: (object: ApiObject) => string }

const COMMON_FIELDS: FieldLabels = {
  'metadata.name': (object) => object.metadata.name ?? '',
  'metadata.namespace': (object) => object.metadata.namespace ?? '',
}

export interface FieldSelector {
  readonly matches: (object: ApiObject) => boolean
  /** The one name that can match, when the selector says so: the common watch of an agent on its own node. */
  readonly name: string | undefined
}

export interface FieldSelectorOptions {
  /** What this kind can be selected by besides name and namespace. */
  readonly own: FieldLabels
  readonly custom: boolean
}

/**
 * `metadata.name=a,spec.nodeName!=b`.
 * @throws {StatusError} 400 for a field this resource cannot be selected by.
 */
export function parseFieldSelector(selector: string, options: FieldSelectorOptions): FieldSelector {
  const fields: FieldLabels = { ...COMMON_FIELDS, ...options.own }
  const terms = selector
    .split(',')
    .filter((term) => term !== '')
    .map(parseTerm)
  const unknown = terms.find((term) => !Object.hasOwn(fields, term.label))
  if (unknown) {
    throw badRequest(
      Object.keys(options.own).length > 0 || options.custom
        ? `field label not supported: ${unknown.label}`
        : `"${unknown.label}" is not a known field selector: only "metadata.name", "metadata.namespace"`,
    )
  }
  const matches = (object: ApiObject) => terms.every((term) => (fields[term.label]?.(object) === term.value) === term.equal)
  return { matches, name: terms.find((term) => term.label === 'metadata.name' && term.equal)?.value }
}

function parseTerm(term: string): { label: string; value: string; equal: boolean } {
  const parsed = /^([^=!]+)(==|=|!=)(.*)$/s.exec(term)
  if (!parsed) throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`)
  const [, label = '', operator, value = ''] = parsed
  return { label: label.trim(), value: value.replace(/\\([\\,=])/g, '$1'), equal: operator !== '!=' }
}

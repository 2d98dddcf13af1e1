import type { ApiObject } from '../api-object.ts'
import { parseFieldSelector } from '../selectors/field-selector.ts'
import { parseLabelSelector } from '../selectors/label-selector.ts'
import type { Entry } from '../storage/entry.ts'
import type { ApiRequest } from './request.ts'

/** Which objects of a collection a list, watch or deletion means. */
export interface ObjectSelection {
  readonly selects: (entry: Entry) => boolean
  /** The one key that can match, when the request says so. */
  readonly key: string | undefined
  /** No selectors: everything in the namespace. */
  readonly unselective: boolean
}

/** @throws {StatusError} 400 */
export function selectionOf(request: ApiRequest): ObjectSelection {
  const { type, namespace, query } = request
  const labels = parseLabelSelector(query.get('labelSelector') ?? '')
  const fields = parseFieldSelector(query.get('fieldSelector') ?? '', { own: type.fields, custom: type.custom })
  const { name } = fields
  const prefix = namespace ? `${namespace}/` : ''
  const matches = (object: ApiObject) => labels(object.metadata.labels ?? {}) && fields.matches(object)
  return {
    selects: ({ key, object }) => key.startsWith(prefix) && matches(object),
    key: name !== undefined && (prefix || !type.namespaced) ? `${prefix}${name}` : undefined,
    unselective: !query.get('labelSelector') && !query.get('fieldSelector'),
  }
}

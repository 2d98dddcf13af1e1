import type { JsonObject } from '../json.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { groupVersion } from '../resources/resource-type.ts'

const PARAMETERS = ['dryRun', 'fieldManager', 'fieldValidation', 'force']

/**
 * The paths of one resource, as far as clients look: kubectl validates on the server when the PATCH of a kind has the
 * parameter fieldValidation, and with its own copy of the schema otherwise.
 */
export function operationsOf(type: ResourceType, schema: JsonObject): JsonObject {
  const root = type.group ? `/apis/${groupVersion(type)}` : `/api/${type.version}`
  const base = `${root}${type.namespaced ? '/namespaces/{namespace}' : ''}/${type.plural}`
  const operation = (action: string) => ({
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group: type.group, version: type.version, kind: type.kind },
    responses: { 200: { description: 'OK', content: { 'application/json': { schema } } } },
  })
  const writing = (action: string) => ({
    ...operation(action),
    parameters: PARAMETERS.map((name) => ({ name, in: 'query', schema: { type: 'string', uniqueItems: true } })),
  })
  return {
    [base]: { get: operation('list'), post: writing('post') },
    [`${base}/{name}`]: { get: operation('get'), put: writing('put'), patch: writing('patch'), delete: operation('delete') },
  }
}

import { badRequest, invalid, StatusError } from '../status-error.ts'

const SUBJECT = { group: 'meta.k8s.io', kind: 'ListOptions' }

/** @throws {StatusError} 422 for combinations of parameters that contradict each other */
export function checkListOptions(query: URLSearchParams, verb: 'list' | 'watch'): void {
  const match = query.get('resourceVersionMatch')
  if (match !== null && !['', 'Exact', 'NotOlderThan'].includes(match)) {
    const message = `Unsupported value: ${JSON.stringify(match)}: supported values: "Exact", "NotOlderThan", ""`
    throw invalid(SUBJECT, '', [{ reason: 'FieldValueNotSupported', message, field: 'resourceVersionMatch' }])
  }
  const problem = contradiction(query, verb)
  if (problem) {
    const { field, why } = problem
    throw invalid(SUBJECT, '', [{ reason: 'FieldValueForbidden', message: `Forbidden: ${why}`, field }])
  }
  if (query.get('continue') && (query.get('resourceVersion') ?? '0') !== '0' && verb === 'list')
    throw badRequest('specifying resource version is not allowed when using continue')
}

function contradiction(query: URLSearchParams, verb: 'list' | 'watch'): { field: string; why: string } | undefined {
  const match = query.get('resourceVersionMatch')
  const revision = query.get('resourceVersion') ?? ''
  const initial = query.get('sendInitialEvents')
  if (verb === 'list') {
    if (initial !== null) return { field: 'sendInitialEvents', why: 'sendInitialEvents is forbidden for list' }
    if (match === null) return undefined
    if (query.get('continue'))
      return { field: 'resourceVersionMatch', why: 'resourceVersionMatch is forbidden when continue is provided' }
    if (revision === '')
      return { field: 'resourceVersionMatch', why: 'resourceVersionMatch is forbidden unless resourceVersion is provided' }
    if (match === 'Exact' && revision === '0')
      return { field: 'resourceVersionMatch', why: 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"' }
    return undefined
  }
  if (initial === null)
    return match === null
      ? undefined
      : { field: 'resourceVersionMatch', why: 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided' }
  return match === 'NotOlderThan'
    ? undefined
    : { field: 'resourceVersionMatch', why: 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan' }
}

/** @throws {StatusError} when it is not a number: 400, for watches 500 */
export function revisionParameter(query: URLSearchParams, verb: 'get' | 'list' | 'watch'): number {
  const given = query.get('resourceVersion') ?? ''
  if (given === '') return 0
  if (/^\d{1,15}$/.test(given)) return Number(given)
  const shown = JSON.stringify(given)
  const problem = `resourceVersion: Invalid value: ${shown}: strconv.ParseUint: parsing ${shown}: invalid syntax`
  throw verb === 'watch' ? new StatusError(500, '', problem) : badRequest(`invalid resource version: ${problem}`)
}

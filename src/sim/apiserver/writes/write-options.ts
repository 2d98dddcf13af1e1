import type { ApiRequest } from '../requests/request.ts'
import { invalid } from '../status-error.ts'

export interface ApiWriteOptions {
  /** Everything is done but storing. */
  readonly dryRun: boolean
  /** What to do about fields that the kind does not have. */
  readonly unknownFields: 'Ignore' | 'Warn' | 'Strict'
  /** Under which name server-side apply records the fields. */
  readonly manager: string
  readonly force: boolean
}

/** @throws {StatusError} 422 */
export function writeOptions({ query, userAgent, verb }: Pick<ApiRequest, 'query' | 'userAgent' | 'verb'>): ApiWriteOptions {
  const dryRun = query.get('dryRun') ?? ''
  const validation = query.get('fieldValidation') || 'Warn'
  const kind =
    verb === 'create'
      ? 'CreateOptions'
      : verb === 'patch'
        ? 'PatchOptions'
        : verb === 'update'
          ? 'UpdateOptions'
          : 'DeleteOptions'
  if (dryRun !== '' && dryRun !== 'All') throw unsupported(kind, 'dryRun', { value: [dryRun], allowed: ['All'] })
  if (validation !== 'Ignore' && validation !== 'Warn' && validation !== 'Strict')
    throw unsupported(kind, 'fieldValidation', { value: validation, allowed: ['', 'Ignore', 'Strict', 'Warn'] })
  return {
    dryRun: dryRun === 'All',
    unknownFields: validation,
    manager: query.get('fieldManager') || (userAgent.split('/')[0] ?? ''),
    force: query.get('force') === 'true',
  }
}

function unsupported(
  kind: string,
  field: string,
  { value, allowed }: { value: string | readonly string[]; allowed: readonly string[] },
): Error {
  const message = `Unsupported value: ${JSON.stringify(value)}: supported values: ${allowed.map((item) => JSON.stringify(item)).join(', ')}`
  return invalid({ group: 'meta.k8s.io', kind }, '', [{ reason: 'FieldValueNotSupported', message, field }])
}

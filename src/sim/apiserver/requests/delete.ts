import type { Core } from '../core.ts'
import type { JsonObject } from '../json.ts'
import { renderList } from '../represent/render.ts'
import { forbidden } from '../status-error.ts'
import type { Entry } from '../storage/entry.ts'
import { deleteObject } from '../writes/delete-object.ts'
import { answerWith, existing } from './get.ts'
import { readOptions } from './read-body.ts'
import type { ApiRequest, ApiResponse } from './request.ts'
import { selectionOf } from './selection.ts'

/** DELETE of one object. */
export function remove(core: Core, request: ApiRequest): ApiResponse {
  const { type, name } = request
  const options = deleteOptions(request)
  const stored = existing(core, request)
  if (type.rules.keeps?.(stored.object)) throw forbidden(type, name, { why: `this ${type.singular} may not be deleted` })
  const { entry, gone } = deleteObject(core, stored, { type, options, dryRun: isDryRun(options) })
  if (!gone || type.rules.returnsDeleted) return answerWith(core, request, { entry, code: 200 })
  const details = { name, ...(type.group ? { group: type.group } : {}), kind: type.plural, uid: entry.object.metadata.uid ?? '' }
  return { code: 200, text: JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }) }
}

/** DELETE of all that a list with the same selectors would show; answers with that list. */
export function removeCollection(core: Core, request: ApiRequest): ApiResponse {
  const options = deleteOptions(request)
  const { selects } = selectionOf(request)
  const chosen: readonly Entry[] = core.store.collection(request.type.collection).sorted().filter(selects)
  const dryRun = isDryRun(options)
  for (const entry of chosen) deleteObject(core, entry, { type: request.type, options, dryRun })
  const meta = {
    resourceVersion: String(core.store.revision),
    ...(request.type.custom && request.form.as === 'object' ? { continue: '' } : {}),
  }
  return { code: 200, text: renderList(chosen, { form: request.form, now: core.now(), type: request.type, meta }) }
}

/** The body's DeleteOptions; without a body the query's. */
function deleteOptions(request: ApiRequest): JsonObject {
  const { query } = request
  const grace = query.get('gracePeriodSeconds')
  const fromQuery = {
    ...(grace === null ? {} : { gracePeriodSeconds: Number(grace) }),
    ...(query.get('dryRun') ? { dryRun: [query.get('dryRun')] } : {}),
  }
  return { ...fromQuery, ...readOptions(request) }
}

function isDryRun({ dryRun }: JsonObject): boolean {
  return Array.isArray(dryRun) && dryRun.includes('All')
}

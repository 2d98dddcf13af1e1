import { keyOf } from '../api-object.ts'
import type { Core } from '../core.ts'
import { badRequest, conflict, invalid, notFound } from '../status-error.ts'
import { createObject } from '../writes/create-object.ts'
import { decodeObject } from '../writes/decode-object.ts'
import { updateObject } from '../writes/update-object.ts'
import { writeOptions } from '../writes/write-options.ts'
import { answerWith } from './get.ts'
import { readObject } from './read-body.ts'
import type { ApiRequest, ApiResponse } from './request.ts'

/** PUT: replaces the whole object. */
export function update(core: Core, request: ApiRequest): ApiResponse {
  const { type, namespace, name, subresource } = request
  const options = writeOptions(request)
  const warnings: string[] = []
  const stored = core.store.collection(type.collection).get(keyOf(namespace, name))
  const next = decodeObject(readObject(request), { type, options, warnings })
  const own = next.metadata.name
  if (own !== name)
    throw badRequest(
      own
        ? `the name of the object (${own}) does not match the name on the URL (${name})`
        : `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    )
  if (!stored) {
    if (!type.rules.createOnUpdate || subresource) throw notFound(type, name)
    return answerWith(core, request, {
      entry: createObject(core, next, { type, namespace, dryRun: options.dryRun }),
      code: 201,
      warnings,
    })
  }
  const { uid } = next.metadata
  if (uid !== undefined && uid !== stored.object.metadata.uid)
    throw conflict(
      type,
      name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${stored.object.metadata.uid}`,
    )
  if (type.rules.needsRevision && next.metadata.resourceVersion === undefined)
    throw invalid({ group: type.group, kind: type.plural }, name, [
      {
        reason: 'FieldValueInvalid',
        message: 'Invalid value: 0: must be specified for an update',
        field: 'metadata.resourceVersion',
      },
    ])
  const kept = type.conversion?.keep(next) ?? next
  const entry = updateObject(core, { old: stored, next: kept }, { type, subresource, dryRun: options.dryRun })
  return answerWith(core, request, { entry, code: 200, warnings })
}

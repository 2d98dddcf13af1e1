import type { ApiObject } from '../api-object.ts'
import { keyOf } from '../api-object.ts'
import type { Core } from '../core.ts'
import type { Json, JsonObject } from '../json.ts'
import { isArray, isObject } from '../json.ts'
import { JsonPatchError, jsonPatch } from '../patches/json-patch.ts'
import { mergePatch } from '../patches/merge-patch.ts'
import { StrategicPatchError, strategicPatch } from '../patches/strategic-patch.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { DecodeError } from '../schema/decode.ts'
import {
  badRequest,
  invalid,
  notFound,
  StatusError,
  unprocessable,
  unsupportedMediaType,
  unsupportedPatchType,
} from '../status-error.ts'
import { type Decoding, decodeObject } from '../writes/decode-object.ts'
import { updateObject } from '../writes/update-object.ts'
import { writeOptions } from '../writes/write-options.ts'
import { apply } from './apply.ts'
import { answerWith } from './get.ts'
import { mediaType, readJson } from './read-body.ts'
import type { ApiRequest, ApiResponse } from './request.ts'

const JSON_PATCH = 'application/json-patch+json'
const MERGE_PATCH = 'application/merge-patch+json'
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json'
const APPLY_PATCH = 'application/apply-patch+yaml'

/** PATCH in any of its four kinds. @throws {StatusError} 400, 404, 409, 415, 422 */
export function patch(core: Core, request: ApiRequest): ApiResponse {
  const { type, namespace, name, subresource } = request
  const accepted = [JSON_PATCH, MERGE_PATCH, ...(type.custom ? [] : [STRATEGIC_PATCH]), APPLY_PATCH]
  const media = mediaType(request.contentType)
  if (!accepted.includes(media)) throw type.custom ? unsupportedMediaType(accepted) : unsupportedPatchType()
  if (media === APPLY_PATCH) return apply(core, request)
  if (request.query.has('force')) throw forceForbidden()
  const options = writeOptions(request)
  const warnings: string[] = []
  const stored = core.store.collection(type.collection).get(keyOf(namespace, name))
  if (!stored) throw notFound(type, name)
  const served = type.conversion?.serve(stored.object) ?? stored.object
  const patched = patchedObject(served, { media, body: readJson(request.body, 'error decoding patch'), type })
  const next = decodePatched(patched, { type, old: served, options, warnings })
  const entry = updateObject(
    core,
    { old: stored, next: type.conversion?.keep(next) ?? next },
    { type, subresource, dryRun: options.dryRun },
  )
  return answerWith(core, request, { entry, code: 200, warnings })
}

function patchedObject(object: ApiObject, { media, body, type }: { media: string; body: Json; type: ResourceType }): JsonObject {
  const patched = media === JSON_PATCH ? byOperations(object, body) : byDocument(object, { media, body, type })
  if (!isObject(patched)) throw badRequest('the patched object is not an object')
  return patched
}

function byOperations(object: ApiObject, body: Json): Json {
  if (!isArray(body) || !body.every(isObject))
    throw badRequest('error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp')
  try {
    return jsonPatch(object, body as readonly JsonObject[])
  } catch (error) {
    throw error instanceof JsonPatchError ? unprocessable() : error
  }
}

function byDocument(object: ApiObject, { media, body, type }: { media: string; body: Json; type: ResourceType }): Json {
  if (!isObject(body))
    throw badRequest('error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}')
  if (media === MERGE_PATCH) return mergePatch(object, body)
  try {
    return strategicPatch(object, body, type.schema)
  } catch (error) {
    throw error instanceof StrategicPatchError ? new StatusError(500, '', error.message) : error
  }
}

function forceForbidden(): Error {
  const message = 'Forbidden: may not be specified for non-apply patch'
  return invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [{ reason: 'FieldValueForbidden', message, field: 'force' }])
}

/** A patch that leads to an object that cannot be is refused as invalid, not as a bad request. */
function decodePatched(patched: JsonObject, decoding: Decoding): ApiObject {
  try {
    return decodeObject(patched, decoding)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    const message = `Invalid value: ${JSON.stringify(JSON.stringify(patched))}: ${error.message.replace(/^.*? cannot be handled as a \w+: /, '')}`
    throw invalid({ group: '', kind: '' }, '', [{ reason: 'FieldValueInvalid', message, field: 'patch' }])
  }
}

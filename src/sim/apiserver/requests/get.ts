import { keyOf } from '../api-object.ts'
import type { Core } from '../core.ts'
import { renderObject } from '../represent/render.ts'
import { notFound, tooLargeRevision } from '../status-error.ts'
import type { Entry } from '../storage/entry.ts'
import { revisionParameter } from './list-options.ts'
import type { ApiRequest, ApiResponse } from './request.ts'

export function get(core: Core, request: ApiRequest): ApiResponse {
  const asked = revisionParameter(request.query, 'get')
  if (asked > core.store.revision) throw tooLargeRevision(asked, core.store.revision)
  return answerWith(core, request, { entry: existing(core, request), code: 200 })
}

/** @throws {StatusError} 404 */
export function existing(core: Core, { type, namespace, name }: Pick<ApiRequest, 'type' | 'namespace' | 'name'>): Entry {
  const entry = core.store.collection(type.collection).get(keyOf(namespace, name))
  if (!entry) throw notFound(type, name)
  return entry
}

/** Its text is made when it is asked for: who is in the same process has no use for it. */
export function answerWith(
  core: Core,
  { form, type }: ApiRequest,
  { entry, code, warnings }: { readonly entry: Entry; readonly code: number; readonly warnings?: readonly string[] },
): ApiResponse {
  return {
    code,
    get text() {
      return renderObject(entry, form, core.now(), type)
    },
    ...(form.as === 'object' && { object: type.conversion?.serve(entry.object) ?? entry.object }),
    ...(warnings && { warnings }),
  }
}

import type { ApiObject } from '../api-object.ts'
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

export function answerWith(
  core: Core,
  { form, type }: ApiRequest,
  { entry, code, warnings }: { readonly entry: Entry; readonly code: number; readonly warnings?: readonly string[] },
): ApiResponse {
  const object = form.as === 'object' ? (type.conversion?.serve(entry.object) ?? entry.object) : undefined
  return new ObjectResponse(() => renderObject(entry, form, core.now(), type), { code, object, warnings })
}

/** Its text is made when it is asked for: who is in the same process has no use for it. */
class ObjectResponse implements ApiResponse {
  readonly code: number
  readonly object: ApiObject | undefined
  readonly warnings: readonly string[] | undefined
  readonly #render: () => string

  constructor(render: () => string, { code, object, warnings }: Pick<ObjectResponse, 'code' | 'object' | 'warnings'>) {
    this.code = code
    this.object = object
    this.warnings = warnings
    this.#render = render
  }

  get text(): string {
    return this.#render()
  }
}

import { type ApiObject, keyOf } from '../api-object.ts'
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

interface Answered {
  readonly entry: Entry
  readonly code: number
  readonly warnings?: readonly string[]
}

export function answerWith(core: Core, { form, type }: ApiRequest, answered: Answered): ApiResponse {
  return new ObjectAnswer(answered, { form, type, now: core.now() })
}

/** How it is told. */
type How = Pick<ApiRequest, 'form' | 'type'> & { readonly now: number }

/** Its text is made when it is asked for: who is in the same process has no use for it. */
class ObjectAnswer implements ApiResponse {
  readonly code: number
  declare readonly object?: ApiObject
  declare readonly warnings?: readonly string[]
  readonly #entry: Entry
  readonly #how: How

  constructor({ entry, code, warnings }: Answered, how: How) {
    this.code = code
    if (how.form.as === 'object') this.object = how.type.conversion?.serve(entry.object) ?? entry.object
    if (warnings) this.warnings = warnings
    this.#entry = entry
    this.#how = how
  }

  get text(): string {
    const { form, type, now } = this.#how
    return renderObject(this.#entry, form, now, type)
  }
}

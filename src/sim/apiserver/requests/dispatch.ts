import type { ServerResponse } from 'node:http'
import { evict } from '../budgets/evict.ts'
import type { Core } from '../core.ts'
import { DecodeError } from '../schema/decode.ts'
import { badRequest, methodNotAllowed } from '../status-error.ts'
import type { WatchOptions } from '../watch/serve-watch.ts'
import { serveWatch } from '../watch/serve-watch.ts'
import { create } from './create.ts'
import { remove, removeCollection } from './delete.ts'
import { get } from './get.ts'
import { list } from './list.ts'
import { patch } from './patch.ts'
import type { ApiRequest, ApiResponse } from './request.ts'
import { update } from './update.ts'

/** @returns undefined for a watch, which writes by itself. @throws {StatusError} */
export function dispatch(
  core: Core,
  request: ApiRequest,
  { response, watch }: { response: ServerResponse; watch: WatchOptions },
): ApiResponse | undefined {
  if (request.verb === 'watch') {
    serveWatch(core, request, response, watch)
    return undefined
  }
  return answer(core, request)
}

/** To everything but a watch. @throws {StatusError} */
export function answer(core: Core, request: ApiRequest): ApiResponse {
  if (request.type.rules.answer && request.verb !== 'create') throw methodNotAllowed()
  try {
    return perform(core, request)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw badRequest(error.message)
  }
}

function perform(core: Core, request: ApiRequest): ApiResponse {
  if (request.subresource === 'eviction') {
    if (request.verb !== 'create') throw methodNotAllowed()
    return evict(core, request)
  }
  switch (request.verb) {
    case 'get':
      return get(core, request)
    case 'list':
      return list(core, request)
    case 'create':
      if (request.name !== '' || (request.type.namespaced && request.namespace === '')) throw methodNotAllowed()
      return create(core, request)
    case 'update':
      if (request.name === '') throw methodNotAllowed()
      return update(core, request)
    case 'patch':
      if (request.name === '') throw methodNotAllowed()
      return patch(core, request)
    case 'delete':
      if (request.subresource) throw methodNotAllowed()
      return remove(core, request)
    case 'deletecollection':
      return removeCollection(core, request)
    default:
      throw methodNotAllowed()
  }
}

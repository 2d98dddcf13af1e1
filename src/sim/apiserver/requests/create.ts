import type { Core } from '../core.ts'
import { createObject } from '../writes/create-object.ts'
import { decodeObject } from '../writes/decode-object.ts'
import { writeOptions } from '../writes/write-options.ts'
import { answerWith } from './get.ts'
import { readObject } from './read-body.ts'
import type { ApiRequest, ApiResponse } from './request.ts'

export function create(core: Core, request: ApiRequest): ApiResponse {
  const options = writeOptions(request)
  const warnings: string[] = []
  const object = decodeObject(readObject(request), { type: request.type, options, warnings })
  const entry = createObject(core, object, { type: request.type, namespace: request.namespace, dryRun: options.dryRun })
  return answerWith(core, request, { entry, code: 201, warnings })
}

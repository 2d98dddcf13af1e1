import type { JsonObject } from '../json.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { operationsOf } from './open-api-paths.ts'
import { schemaName, schemasOf } from './open-api-schemas.ts'

const REFERENCE = '#/definitions/'

/** /openapi/v2, for clients that do not know version 3. */
export function openApiV2(types: readonly ResourceType[]): JsonObject {
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: 'embedded' },
    paths: Object.assign({}, ...types.map((type) => operationsOf(type, { $ref: `${REFERENCE}${schemaName(type)}` }))),
    definitions: schemasOf(types, REFERENCE),
  }
}

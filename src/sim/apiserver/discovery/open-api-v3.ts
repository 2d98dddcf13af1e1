import { createHash } from 'node:crypto'
import type { JsonObject } from '../json.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { groupVersion } from '../resources/resource-type.ts'
import { operationsOf } from './open-api-paths.ts'
import { schemaName, schemasOf } from './open-api-schemas.ts'

const REFERENCE = '#/components/schemas/'

/** /openapi/v3: where the document of each group and version is. */
export function openApiIndex(types: readonly ResourceType[]): JsonObject {
  const paths = [...Map.groupBy(types, pathOf)].map(([path, members]) => {
    const hash = createHash('sha256').update(JSON.stringify(members)).digest('hex')
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }]
  })
  return { paths: Object.fromEntries(paths) }
}

/** /openapi/v3/api/v1 and /openapi/v3/apis/GROUP/VERSION @returns undefined when nothing is served in it */
export function openApiV3(types: readonly ResourceType[], path: readonly string[]): JsonObject | undefined {
  const served = types.filter((type) => pathOf(type) === path.join('/'))
  if (served.length === 0) return undefined
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'embedded' },
    paths: Object.assign({}, ...served.map((type) => operationsOf(type, { $ref: `${REFERENCE}${schemaName(type)}` }))),
    components: { schemas: schemasOf(served, REFERENCE) },
  }
}

function pathOf(type: ResourceType): string {
  return type.group ? `apis/${groupVersion(type)}` : `api/${type.version}`
}

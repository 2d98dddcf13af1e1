import type { Json, JsonObject } from '../json.ts'
import { isArray, isObject } from '../json.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { groupVersion } from '../resources/resource-type.ts'
import { allDefinitions, definitionName } from '../schema/core-schemas.ts'

/** Name of a kind's schema in OpenAPI documents: `io.k8s.api.core.v1.Node`, `io.nodewave.v1alpha1.NodePool`. */
export function schemaName(type: ResourceType): string {
  const builtIn = definitionName(`${groupVersion(type)}/${type.kind}`)
  return builtIn || [...type.group.split('.').reverse(), type.version, type.kind].join('.')
}

/** The schemas of these kinds and all that they refer to. */
export function schemasOf(types: readonly ResourceType[], reference: string): JsonObject {
  const found: Record<string, Json> = {}
  const add = (name: string) => {
    const schema = allDefinitions()[name]
    if (schema === undefined || name in found) return
    found[name] = linked(schema as unknown as Json, reference)
    for (const other of references(schema as unknown as Json)) add(other)
  }
  for (const type of types) {
    const name = schemaName(type)
    add(name)
    const gvk = [{ group: type.group, version: type.version, kind: type.kind }]
    const schema = found[name] ?? linked(type.schema as unknown as Json, reference)
    found[name] = { ...(isObject(schema) ? schema : {}), 'x-kubernetes-group-version-kind': gvk }
    for (const other of references(type.schema as unknown as Json)) add(other)
  }
  return found
}

function linked(schema: Json, reference: string): Json {
  if (isArray(schema)) return schema.map((item) => linked(item, reference))
  if (!isObject(schema)) return schema
  if (typeof schema.$ref === 'string') {
    const { $ref, ...rest } = schema
    return { ...rest, allOf: [{ $ref: `${reference}${$ref}` }] }
  }
  return Object.fromEntries(Object.entries(schema).map(([key, member]) => [key, linked(member ?? null, reference)]))
}

function references(schema: Json): string[] {
  if (isArray(schema)) return schema.flatMap(references)
  if (!isObject(schema)) return []
  const own = typeof schema.$ref === 'string' ? [schema.$ref] : []
  return [...own, ...Object.values(schema).flatMap((member) => references(member ?? null))]
}

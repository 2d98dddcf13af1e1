import condensed from '../generated/core-schemas.json' with { type: 'json' }
import type { Schema } from './schema.ts'
import { ANYTHING } from './schema.ts'

const roots: { readonly [kind: string]: string } = condensed.roots
const definitions = condensed.definitions as unknown as { readonly [name: string]: Schema }

/** @param kind as `v1/Node` or `apps/v1/Deployment` */
export function coreSchema(kind: string): Schema {
  const name = roots[kind]
  return name === undefined ? ANYTHING : { $ref: name }
}

export const META_SCHEMA: Schema = { $ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }

/** Name of the definition, as OpenAPI documents have it. */
export function definitionName(kind: string): string {
  return roots[kind] ?? ''
}

export function allDefinitions(): { readonly [name: string]: Schema } {
  return definitions
}

/** Follows a reference. What stands beside it (merge keys, list types) stays in force. */
export function resolved(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : (definitions[schema.$ref] ?? ANYTHING)
}

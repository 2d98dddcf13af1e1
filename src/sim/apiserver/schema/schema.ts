import type { Json } from '../json.ts'

/** OpenAPI as far as the server acts on it: built-in kinds (condensed, with references) and structural schemas of CRDs. */
export interface Schema {
  readonly type?: string
  readonly format?: string
  readonly $ref?: string
  readonly properties?: { readonly [name: string]: Schema }
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly nullable?: boolean
  readonly default?: Json
  readonly enum?: readonly Json[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-embedded-resource'?: boolean
  readonly 'x-kubernetes-list-type'?: string
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-patch-merge-key'?: string
  readonly 'x-kubernetes-patch-strategy'?: string
}

export const ANYTHING: Schema = { 'x-kubernetes-preserve-unknown-fields': true }

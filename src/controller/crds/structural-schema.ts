import * as z from 'zod'

/** A schema as a CustomResourceDefinition may have it. */
export interface StructuralSchema {
  readonly type?: string
  readonly description?: string
  readonly format?: string
  readonly properties?: Readonly<Record<string, StructuralSchema>>
  readonly additionalProperties?: StructuralSchema
  readonly items?: StructuralSchema
  readonly required?: readonly string[]
  readonly enum?: readonly unknown[]
  readonly 'x-kubernetes-int-or-string'?: true
  readonly 'x-kubernetes-preserve-unknown-fields'?: true
}

type JsonSchema = z.core.JSONSchema.BaseSchema

/**
 * What the API server should know of a type: its shape and its words. Patterns and bounds are left to the loader, which has
 * checked everything before and can say where it stands; they would only bind an older definition to a newer controller.
 */
export function structuralSchema(schema: z.ZodType): StructuralSchema {
  return structural(z.toJSONSchema(schema, { io: 'input' }))
}

function structural(schema: JsonSchema): StructuralSchema {
  const description = schema.description === undefined ? {} : { description: schema.description }
  if (schema.anyOf) return { ...unionOf(schema.anyOf), ...description }
  // A union of scalars; Kubernetes has no name for it.
  if (Array.isArray(schema.type)) return { 'x-kubernetes-preserve-unknown-fields': true, ...description }
  const { additionalProperties: values, items } = schema
  return {
    ...(schema.type !== undefined && { type: schema.type }),
    ...(schema.type === 'integer' && { format: 'int64' }),
    ...description,
    ...(schema.enum && { enum: schema.enum }),
    ...(schema.properties && { properties: structuralEach(schema.properties) }),
    ...(typeof values === 'object' && { additionalProperties: structural(values) }),
    ...(typeof items === 'object' && !Array.isArray(items) && { items: structural(items as JsonSchema) }),
    ...(schema.required?.length && { required: schema.required }),
  }
}

function structuralEach(properties: NonNullable<JsonSchema['properties']>): Record<string, StructuralSchema> {
  const members = Object.entries(properties).flatMap(([name, member]) =>
    typeof member === 'object' ? [[name, structural(member)] as const] : [],
  )
  return Object.fromEntries(members)
}

function unionOf(members: readonly (JsonSchema | boolean)[]): StructuralSchema {
  const types = members.map((member) => (typeof member === 'object' ? member.type : undefined))
  return types.every((type) => type === 'integer' || type === 'string')
    ? { 'x-kubernetes-int-or-string': true }
    : { 'x-kubernetes-preserve-unknown-fields': true }
}

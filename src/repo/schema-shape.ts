import * as z from 'zod'
import type { Path } from './source.ts'

type Schema = z.core.$ZodType

/** The schema of the value at a path; undefined when nothing may stand there. */
export function schemaAt(schema: Schema, path: Path): Schema | undefined {
  let found: Schema | undefined = schema
  for (const step of path) found = found && childOf(found, step)
  return found
}

/** Names of the fields that a map may have; none when any name goes. */
export function fieldsOf(schema: Schema | undefined): string[] {
  const bare = schema && unwrap(schema)
  if (bare instanceof z.ZodObject) return Object.keys(bare.shape)
  return bare instanceof z.ZodUnion ? bare.options.flatMap(fieldsOf) : []
}

function childOf(schema: Schema, step: string | number): Schema | undefined {
  const bare = unwrap(schema)
  if (bare instanceof z.ZodObject) return Object.hasOwn(bare.shape, step) ? bare.shape[step] : undefined
  if (bare instanceof z.ZodRecord) return bare.valueType
  if (bare instanceof z.ZodArray) return bare.element
  if (!(bare instanceof z.ZodUnion)) return undefined
  for (const option of bare.options) {
    const child = childOf(option, step)
    if (child) return child
  }
  return undefined
}

function unwrap(schema: Schema): Schema {
  if (schema instanceof z.ZodExactOptional) return unwrap(schema.unwrap())
  return schema instanceof z.ZodPipe ? unwrap(schema.in) : schema
}

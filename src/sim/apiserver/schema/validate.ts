import type { Json, JsonObject } from '../json.ts'
import { isArray, isObject, sameJson } from '../json.ts'
import type { Cause } from '../status-error.ts'
import type { Schema } from './schema.ts'

/** What is wrong with a custom resource by its structural schema, worded as the API server does. CEL rules are not evaluated. */
export function validate(value: Json, schema: Schema, path = ''): Cause[] {
  if (value === null && schema.nullable) return []
  const wrongType = typeProblem(value, schema, path)
  if (wrongType) return [wrongType]
  const causes = [...enumProblem(value, schema, path), ...limitProblems(value, schema, path)]
  if (isArray(value) && schema.items) {
    const { items } = schema
    causes.push(...value.flatMap((item, index) => validate(item, items, `${path}[${index}]`)))
  }
  return isObject(value) ? [...causes, ...memberProblems(value, schema, path)] : causes
}

function memberProblems(value: JsonObject, schema: Schema, path: string): Cause[] {
  const inside = (key: string) => (path ? `${path}.${key}` : key)
  const missing = (schema.required ?? [])
    .filter((key) => value[key] === undefined)
    .map((key) => ({ reason: 'FieldValueRequired', message: 'Required value', field: inside(key) }))
  const wrong = Object.entries(value).flatMap(([key, member]) => {
    const additional = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
    const memberSchema = schema.properties?.[key] ?? additional
    return memberSchema && member !== undefined ? validate(member, memberSchema, inside(key)) : []
  })
  return [...missing, ...wrong]
}

function typeProblem(value: Json, schema: Schema, path: string): Cause | undefined {
  const found = jsonType(value)
  if (schema['x-kubernetes-int-or-string']) {
    if (found === 'integer' || found === 'string') return undefined
    return typeInvalid(path, { found, wanted: 'integer,string' })
  }
  const { type } = schema
  if (type === undefined || type === '' || found === type || (type === 'number' && found === 'integer')) return undefined
  return typeInvalid(path, { found, wanted: type })
}

function typeInvalid(path: string, { found, wanted }: { found: string; wanted: string }): Cause {
  const message = `Invalid value: ${JSON.stringify(found)}: ${path} in body must be of type ${wanted}: ${JSON.stringify(found)}`
  return { reason: 'FieldValueTypeInvalid', message, field: path || '<nil>' }
}

function jsonType(value: Json): string {
  if (value === null) return 'null'
  if (isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

function enumProblem(value: Json, schema: Schema, path: string): Cause[] {
  if (!schema.enum || schema.enum.some((allowed) => sameJson(allowed, value))) return []
  const list = schema.enum.map((allowed) => JSON.stringify(allowed)).join(', ')
  return [
    {
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${list}`,
      field: path,
    },
  ]
}

function limitProblems(value: Json, schema: Schema, path: string): Cause[] {
  const shown = JSON.stringify(value)
  const bad = (text: string): Cause => ({
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${shown}: ${path} in body should ${text}`,
    field: path,
  })
  const causes: Cause[] = []
  if (typeof value === 'string') causes.push(...stringProblem(value, { schema, path, bad }))
  if (typeof value === 'number') {
    if (value < (schema.minimum ?? value)) causes.push(bad(`be greater than or equal to ${schema.minimum}`))
    if (value > (schema.maximum ?? value)) causes.push(bad(`be less than or equal to ${schema.maximum}`))
  }
  if (isArray(value)) {
    if (value.length < (schema.minItems ?? 0)) causes.push(bad(`have at least ${schema.minItems} items`))
    if (value.length > (schema.maxItems ?? value.length)) causes.push(tooMany(value.length, { schema, path }))
  }
  return causes
}

/** The first that applies, as the API server does. */
function stringProblem(
  value: string,
  { schema, path, bad }: { schema: Schema; path: string; bad: (text: string) => Cause },
): Cause[] {
  const length = [...value].length
  if (length > (schema.maxLength ?? length)) return [tooLong(schema, path)]
  if (length < (schema.minLength ?? 0)) return [bad(`be at least ${schema.minLength} chars long`)]
  if (schema.pattern === undefined || new RegExp(schema.pattern).test(value)) return []
  return [bad(`match '${schema.pattern}'`)]
}

function tooLong(schema: Schema, path: string): Cause {
  return { reason: 'FieldValueTooLong', message: `Too long: may not be more than ${schema.maxLength} bytes`, field: path }
}

function tooMany(length: number, { schema, path }: { schema: Schema; path: string }): Cause {
  return { reason: 'FieldValueTooMany', message: `Too many: ${length}: must have at most ${schema.maxItems} items`, field: path }
}

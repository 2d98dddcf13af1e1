import type { Json, JsonObject } from '../../json.ts'
import { isArray, isObject } from '../../json.ts'
import type { Schema } from '../../schema/schema.ts'
import type { FieldSet } from './field-set.ts'
import { itemKey, memberSchema } from './field-set.ts'

/** The live object with everything that the applied configuration says. */
export function mergeApplied(live: Json | undefined, applied: Json, schema: Schema): Json {
  if (isObject(applied)) {
    const result: Record<string, Json | undefined> = isObject(live) ? { ...live } : {}
    for (const [key, value] of Object.entries(applied))
      if (value !== undefined && value !== null) result[key] = mergeApplied(result[key], value, memberSchema(schema, key))
    return result
  }
  if (!isArray(applied) || !isArray(live)) return applied
  if (schema['x-kubernetes-list-type'] === 'set') return [...live, ...applied.filter((item) => !live.includes(item))]
  if (schema['x-kubernetes-list-type'] !== 'map') return applied
  return applied.reduce<readonly Json[]>((list, item) => {
    const found = list.findIndex((other) => itemKey(other, schema) === itemKey(item, schema))
    const index = found < 0 ? list.length : found
    return list.toSpliced(index, 1, mergeApplied(list[index], item, schema.items ?? {}))
  }, live)
}

/** The object without the fields of the set: what a manager no longer applies and nobody else owns. */
export function removeFields(value: Json, fields: FieldSet, schema: Schema): Json {
  if (isArray(value)) return value.flatMap((item) => keptItem(item, fields, schema))
  if (!isObject(value)) return value
  const result: Record<string, Json | undefined> = { ...value }
  for (const [path, below] of Object.entries(fields)) {
    const key = path.slice(2)
    const member = result[key]
    if (member === undefined) continue
    const rest =
      isObject(below) && Object.keys(below).length > 0 ? removeFields(member, below, memberSchema(schema, key)) : undefined
    if (rest === undefined || isEmpty(rest)) delete result[key]
    else result[key] = rest
  }
  return result
}

function isEmpty(value: Json): boolean {
  return isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0
}

function keptItem(item: Json, fields: FieldSet, schema: Schema): readonly Json[] {
  if (schema['x-kubernetes-list-type'] === 'set') return `v:${JSON.stringify(item)}` in fields ? [] : [item]
  const below = fields[itemKey(item, schema)]
  if (!isObject(below)) return [item]
  return '.' in below ? [] : [removeFields(item, below, schema.items ?? {})]
}

export function valueAt(object: Json | undefined, [step, ...rest]: readonly string[], schema: Schema): Json | undefined {
  if (step === undefined) return object
  if (step.startsWith('f:')) {
    const key = step.slice(2)
    return isObject(object) ? valueAt((object as JsonObject)[key], rest, memberSchema(schema, key)) : undefined
  }
  if (!isArray(object)) return undefined
  const found = object.find((item) => itemKey(item, schema) === step || `v:${JSON.stringify(item)}` === step)
  return valueAt(found, rest, schema.items ?? {})
}

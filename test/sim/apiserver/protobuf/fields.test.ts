/** Where one of these fails, run scripts/protobuf-fields/generate.ts. */
import { expect, test } from 'vitest'
import type { Field } from '../../../../src/sim/apiserver/protobuf/fields.ts'
import { fieldsOf, INLINE, messageOf } from '../../../../src/sim/apiserver/protobuf/fields.ts'
import { WELL_KNOWN } from '../../../../src/sim/apiserver/protobuf/well-known.ts'
import { Registry } from '../../../../src/sim/apiserver/resources/registry.ts'
import { groupVersion } from '../../../../src/sim/apiserver/resources/resource-type.ts'
import { coreSchema, resolved } from '../../../../src/sim/apiserver/schema/core-schemas.ts'
import type { Schema } from '../../../../src/sim/apiserver/schema/schema.ts'

const kinds = new Registry().all().map((type) => `${groupVersion(type)}/${type.kind}`)

test.for(kinds)('%s has the same fields in protobuf and in OpenAPI, at every depth', (kind) => {
  const message = messageOf(kind)

  expect(message).toBeDefined()
  expect(differences(message ?? '', coreSchema(kind), kind)).toEqual([])
})

test('no message contains itself, so that bytes cannot nest without end', () => {
  expect(kinds.flatMap((kind) => circles(messageOf(kind) ?? '', []))).toEqual([])
})

/** Paths of fields that one of both lacks. Messages that write themselves, and kinds without a schema, are not compared. */
function differences(message: string, given: Schema, path: string): readonly string[] {
  const { properties } = resolved(given)
  if (!properties || WELL_KNOWN[message]) return []
  const fields = new Map(inlined(message).map((field) => [field.name, field]))
  // In protobuf, the envelope has them.
  const names = Object.keys(properties).filter((name) => !properties.metadata || (name !== 'apiVersion' && name !== 'kind'))
  const lacking = [...names.filter((name) => !fields.has(name)), ...[...fields.keys()].filter((name) => !names.includes(name))]
  const inside = [...fields].flatMap(([name, field]) => differences(field.type, partOf(properties[name]), `${path}.${name}`))
  return [...lacking.map((name) => `${path}.${name}`), ...inside]
}

function partOf(schema: Schema = {}): Schema {
  const { items, additionalProperties } = resolved(schema)
  return items ?? (typeof additionalProperties === 'object' ? additionalProperties : schema)
}

function inlined(message: string): readonly Field[] {
  return [...fieldsOf(message).values()].flatMap((field) => (field.name === INLINE ? inlined(field.type) : [field]))
}

function circles(message: string, above: readonly string[]): readonly string[] {
  if (above.includes(message)) return [[...above, message].join(' > ')]
  return [...fieldsOf(message).values()].flatMap(({ type }) => circles(type, [...above, message]))
}

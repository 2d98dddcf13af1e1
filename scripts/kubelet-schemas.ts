/** JSON schemas of kubelet fields and flags, from what is known of each minor version. */
import { type Knowledge, knowledgeOf, ROOT_TYPE } from '../src/repo/kubelet-knowledge/knowledge.ts'
import { KUBELET_API_VERSION, KUBELET_CONFIG_KIND } from '../src/repo/schema/kubelet-config.ts'
import type { JsonSchema } from './json-schemas.ts'

export const CONFIG_DEFINITION = `kubelet.${ROOT_TYPE}`
export const FLAGS_DEFINITION = 'kubelet.flags'
const TEMPLATE = 'kubelet.template'

/** Flags that nodewave sets itself. */
const OWNED: readonly string[] = ['config']

/** @param version of a kubelet; without it, what any known version takes */
export function kubeletDefinitions(version: string | undefined): Readonly<Record<string, JsonSchema>> {
  const knowledge = knowledgeOf(version)
  const structs = [...knowledge.fields.keys()].map((name) => [`kubelet.${name}`, structSchema(name, knowledge)] as const)
  return {
    ...Object.fromEntries(structs),
    [FLAGS_DEFINITION]: flagsSchema(knowledge),
    [TEMPLATE]: { type: 'string', pattern: '\\{\\{', description: 'A template, such as "{{ node.name }}".' },
  }
}

function structSchema(name: string, knowledge: Knowledge): JsonSchema {
  const fields = [...(knowledge.fields.get(name) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1))
  const properties = fields.map(([field, type]) => [field, fieldSchema(type, { place: `${name}.${field}`, knowledge })] as const)
  const document = { apiVersion: { const: KUBELET_API_VERSION }, kind: { const: KUBELET_CONFIG_KIND } }
  return {
    type: 'object',
    properties: { ...(name === ROOT_TYPE ? document : {}), ...Object.fromEntries(properties) },
    additionalProperties: false,
  }
}

interface Where {
  /** `Struct.field` */
  readonly place: string
  readonly knowledge: Knowledge
}

/** Templates may stand for every value, and null removes what an earlier layer says. */
function fieldSchema(type: string, where: Where): JsonSchema {
  return { anyOf: [valueSchema(type, where), definition(TEMPLATE), { type: 'null' }] }
}

function valueSchema(type: string, where: Where): JsonSchema {
  if (type.startsWith('[]')) return { type: 'array', items: fieldSchema(type.slice(2), where) }
  if (type.startsWith('{}')) return { type: 'object', additionalProperties: fieldSchema(type.slice(2), where) }
  const { place, knowledge } = where
  const words = knowledge.words.get(place)
  if (words !== undefined) return { enum: [...words] }
  const [minimum, maximum] = knowledge.ranges.get(place) ?? []
  if (type === 'int' && minimum !== undefined && maximum !== undefined) return { type: 'integer', minimum, maximum }
  return SCALARS[type] ?? (knowledge.fields.has(type) ? definition(`kubelet.${type}`) : {})
}

const SCALARS: Readonly<Record<string, JsonSchema>> = {
  bool: { type: 'boolean' },
  int: { type: 'integer' },
  number: { type: 'number' },
  string: { type: 'string' },
  time: { type: 'string' },
  duration: { type: 'string' },
  interval: { type: ['string', 'number'] },
  quantity: { type: ['string', 'number'] },
}

/** Lists and maps may be written as YAML or in the syntax of the kubelet: the schema knows the names, `validate` the values. */
function flagsSchema({ flags }: Knowledge): JsonSchema {
  const known = [...flags].filter(([name]) => !OWNED.includes(name)).sort(([a], [b]) => (a < b ? -1 : 1))
  const properties = known.map(([name, { type, field }]): [string, JsonSchema] => [
    name,
    { description: field === '' ? `${type}.` : `${type}; sets the field ${field}.`, ...FLAG_VALUES[type] },
  ])
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: false }
}

const FLAG_VALUES: Readonly<Record<string, JsonSchema>> = {
  bool: { type: ['boolean', 'string', 'null'] },
  int: { type: ['integer', 'string', 'null'] },
  int32: { type: ['integer', 'string', 'null'] },
  int64: { type: ['integer', 'string', 'null'] },
}

function definition(name: string): JsonSchema {
  return { $ref: `#/definitions/${name}` }
}

import type { JsonSchema } from './json-schemas.ts'

const MARK = /(<!-- fields of (\S+) -->\n)[\s\S]*?(<!-- end -->)/g

/** Puts the table of each kind's fields between its marks, in place of what stood there. */
export function fillTables(markdown: string, schemas: ReadonlyMap<string, JsonSchema>): string {
  return markdown.replace(MARK, (_, begin: string, file: string, end: string) => {
    const schema = schemas.get(file)
    if (!schema) throw new Error(`find no schema "${file}" for the table of that name`)
    return `${begin}\n${table(schema)}\n\n${end}`
  })
}

function table(schema: JsonSchema): string {
  const { spec } = propertiesOf(schema)
  const rows = spec ? fieldRows(spec, '') : []
  return ['| field | value | meaning |', '|---|---|---|', ...rows].join('\n')
}

function fieldRows(schema: JsonSchema, prefix: string): string[] {
  return Object.entries(propertiesOf(schema)).flatMap(([name, field]) => {
    const path = `${prefix}${name}`
    const required = schema.required?.includes(name) ? '**required**' : ''
    const meaning = [required, field.description ?? ''].filter(Boolean).join(' ')
    return [`| \`${path}\` | ${writtenAs(field)} | ${meaning.replaceAll('|', '\\|')} |`, ...nested(field, path)]
  })
}

function nested(field: JsonSchema, prefix: string): string[] {
  if (field.properties) return fieldRows(field, `${prefix}.`)
  const items = field.items
  return items !== null && typeof items === 'object' && !Array.isArray(items) && items.properties
    ? fieldRows(items, `${prefix}[].`)
    : []
}

function writtenAs(schema: JsonSchema): string {
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ')
  if (schema.const !== undefined) return `\`${schema.const}\``
  // What a kubelet knows is a definition of its own.
  if (schema.allOf) return 'map'
  if (schema.anyOf) return [...new Set(schema.anyOf.map((option) => writtenAs(option as JsonSchema)))].join(' or ')
  if (schema.type === 'array') return `list of ${writtenAs(schema.items as JsonSchema)}`
  if (schema.type === 'integer') return 'whole number'
  if (schema.pattern?.includes('%')) return 'percentage'
  if (schema.pattern?.includes('ms)')) return 'duration'
  return schema.type === 'object' ? 'map' : String(schema.type ?? 'any')
}

function propertiesOf(schema: JsonSchema): Record<string, JsonSchema> {
  return (schema.properties ?? {}) as Record<string, JsonSchema>
}

import { NOT_YET } from '../src/repo/not-yet.ts'
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
  const { kind, spec } = propertiesOf(schema)
  const rows = spec ? fieldRows(spec, { kind: String(kind?.const), prefix: '' }) : []
  return ['| field | value | meaning |', '|---|---|---|', ...rows].join('\n')
}

interface Around {
  readonly kind: string
  readonly prefix: string
}

function fieldRows(schema: JsonSchema, { kind, prefix }: Around): string[] {
  return Object.entries(propertiesOf(schema)).flatMap(([name, field]) => {
    const path = `${prefix}${name}`
    const required = schema.required?.includes(name) ? '**required**' : ''
    const meaning = [notYet(kind, path), required, field.description ?? ''].filter(Boolean).join(' ')
    return [`| \`${path}\` | ${writtenAs(field)} | ${meaning.replaceAll('|', '\\|')} |`, ...nested(field, { kind, prefix: path })]
  })
}

function nested(field: JsonSchema, { kind, prefix }: Around): string[] {
  if (field.properties) return fieldRows(field, { kind, prefix: `${prefix}.` })
  const items = field.items
  return items !== null && typeof items === 'object' && !Array.isArray(items) && items.properties
    ? fieldRows(items, { kind, prefix: `${prefix}[].` })
    : []
}

function notYet(kind: string, path: string): string {
  const entry = NOT_YET.find((candidate) => candidate.kind === kind && candidate.path.join('.').replaceAll('.*', '[]') === path)
  if (!entry) return ''
  return entry.except ? `*not yet, but for ${entry.except.map((value) => `\`${value}\``).join(', ')}*` : '*not yet*'
}

function writtenAs(schema: JsonSchema): string {
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ')
  if (schema.const !== undefined) return `\`${schema.const}\``
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

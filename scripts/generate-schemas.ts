/** Writes schemas/*.json, their copies in the examples and the tables of docs/repo-language.md from the schemas of the repository language. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jsonSchemas } from './json-schemas.ts'
import { fillTables } from './reference-tables.ts'
import { schemaCatalog } from './schema-catalog.ts'

const root = join(import.meta.dirname, '..')
const reference = join(root, 'docs/repo-language.md')
const schemas = jsonSchemas()

/** Those of the whole language are for editors alone, and each fleet repository has them: without the space that people read by. */
const indent = (file: string) => (file.startsWith('nodewave') ? undefined : 2)
for (const [file, schema] of schemas)
  writeFileSync(join(root, 'schemas', file), `${JSON.stringify(schema, null, indent(file))}\n`)
writeFileSync(join(root, 'schemas/catalog.json'), `${JSON.stringify(schemaCatalog(), undefined, 2)}\n`)
for (const fleet of ['repo', 'clusters'])
  cpSync(join(root, 'schemas/nodewave.json'), join(root, 'examples', fleet, '.nodewave/schemas/nodewave.json'))
writeFileSync(reference, fillTables(readFileSync(reference, 'utf8'), schemas))

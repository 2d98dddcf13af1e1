/** Writes schemas/*.json and the tables of docs/repo-language.md from the schemas of the repository language. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jsonSchemas } from './json-schemas.ts'
import { fillTables } from './reference-tables.ts'

const root = join(import.meta.dirname, '..')
const reference = join(root, 'docs/repo-language.md')
const schemas = jsonSchemas()

for (const [file, schema] of schemas) writeFileSync(join(root, 'schemas', file), `${JSON.stringify(schema, null, 2)}\n`)
writeFileSync(reference, fillTables(readFileSync(reference, 'utf8'), schemas))

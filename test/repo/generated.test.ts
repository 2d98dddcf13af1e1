import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { jsonSchemas } from '../../scripts/json-schemas.ts'
import { fillTables } from '../../scripts/reference-tables.ts'
import { schemaCatalog } from '../../scripts/schema-catalog.ts'

const root = join(import.meta.dirname, '../..')
const again = 'run: node scripts/generate-schemas.ts'

test('schemas/ is what the schemas of the language say', () => {
  for (const [file, schema] of jsonSchemas())
    expect(JSON.parse(readFileSync(join(root, 'schemas', file), 'utf8')), again).toEqual(JSON.parse(JSON.stringify(schema)))
  expect(readdirSync(join(root, 'schemas')).sort(), again).toEqual(['catalog.json', ...jsonSchemas().keys()].sort())
})

test('the catalog has an entry whose addresses are the names of our schemas', () => {
  const catalog = JSON.parse(readFileSync(join(root, 'schemas/catalog.json'), 'utf8'))
  expect(catalog, again).toEqual(schemaCatalog())
  const [{ url, versions }] = catalog.schemas
  const names = [...jsonSchemas().values()].map(({ $id }) => $id)
  expect(names).toEqual(expect.arrayContaining([url, ...Object.values(versions)]))
})

test.each(['repo', 'clusters'])('examples/%s has the schema that its documents name', (fleet) => {
  const folder = join(root, 'examples', fleet)
  const copy = readFileSync(join(folder, '.nodewave/schemas/nodewave.json'), 'utf8')
  expect(copy === readFileSync(join(root, 'schemas/nodewave.json'), 'utf8'), again).toBe(true)
  const documents = globSync('**/*.yaml', { cwd: folder })
  expect(documents.length).toBeGreaterThan(6)
  const without = documents.filter((path) => {
    const [, schema = ''] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(readFileSync(join(folder, path), 'utf8')) ?? []
    return join(dirname(path), schema) !== '.nodewave/schemas/nodewave.json'
  })
  expect(without).toEqual([])
})

test('the tables of docs/repo-language.md are what the schemas say', () => {
  const reference = readFileSync(join(root, 'docs/repo-language.md'), 'utf8')

  expect(fillTables(reference, jsonSchemas()), again).toBe(reference)
})

test('fillTables writes a row for each field, with what may stand there', () => {
  const filled = fillTables('<!-- fields of node-pool.json -->\nWHAT STOOD HERE\n<!-- end -->', jsonSchemas())

  expect(filled).not.toContain('WHAT STOOD HERE')
  expect(filled).toContain('| `nodeSelector` | map | **required** The nodes of the pool. A node in two pools is an error. |')
  expect(filled).toContain('| `rollout.waves[].soak` | duration | How long')
  expect(fillTables('<!-- fields of kubelet-release.json -->\n<!-- end -->', jsonSchemas())).toContain(
    '| `dnf` | map | An rpm package. |',
  )
})

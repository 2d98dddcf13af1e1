import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { parsePoolStatus } from '../../../src/controller/cache/node-pool-status.ts'
import { nodePoolCrd } from '../../../src/controller/crds/node-pool-crd.ts'
import { structuralSchema } from '../../../src/controller/crds/structural-schema.ts'
import { nodePool } from '../../../src/repo/schema/node-pool.ts'

test('the CustomResourceDefinition in deploy is the one of the code; else run "node scripts/generate-crd.ts"', () => {
  expect(parse(readFileSync('deploy/crds/nodepools.yaml', 'utf8'))).toEqual(JSON.parse(JSON.stringify(nodePoolCrd())))
})

test('kubectl get has the columns that nodewave status has', () => {
  const { versions } = nodePoolCrd().spec as { versions: [{ additionalPrinterColumns: { name: string; jsonPath: string }[] }] }
  const columns = versions[0].additionalPrinterColumns.map(({ name, jsonPath }) => [name, jsonPath])
  expect(columns.slice(0, 6)).toEqual([
    ['Revision', '.status.summary.revision'],
    ['Wave', '.status.summary.wave'],
    ['Updated', '.status.summary.updated'],
    ['Ready', '.status.conditions[?(@.type=="Ready")].status'],
    ['Paused', '.status.summary.paused'],
    ['Reason', '.status.conditions[?(@.type=="Ready")].reason'],
  ])
})

test('every schema has a type, or says that it has several', () => {
  const untyped: string[] = []
  const visit = (schema: ReturnType<typeof structuralSchema>, path: string): void => {
    const several = schema['x-kubernetes-int-or-string'] ?? schema['x-kubernetes-preserve-unknown-fields']
    if (schema.type === undefined && !several) untyped.push(path)
    for (const [name, member] of Object.entries(schema.properties ?? {})) visit(member, `${path}.${name}`)
    if (schema.items) visit(schema.items, `${path}[]`)
    if (schema.additionalProperties) visit(schema.additionalProperties, `${path}{}`)
  }
  visit(structuralSchema(nodePool.shape.spec), 'spec')
  expect(untyped).toEqual([])
})

test('a status that somebody spoiled keeps what is still whole', () => {
  const stable = { revision: 'a'.repeat(40), fingerprint: 'v1:1' }
  expect(parsePoolStatus({ stable, target: 'yesterday', rejected: [stable], failed: 7 })).toEqual({ stable, rejected: [stable] })
  expect(parsePoolStatus('nothing')).toEqual({})
})

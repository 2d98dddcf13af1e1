import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { NODE_PHASES } from '../../src/protocol/node-pool.ts'

const ROOT = join(import.meta.dirname, '../..')
const GLOSSARY = readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8')
const SOURCES = globSync('src/**/*.ts', { cwd: ROOT }).map((file) => readFileSync(join(ROOT, file), 'utf8'))

/** Words that the vocabulary replaced; a type of such a name is an old one. */
const REPLACED =
  /^(Picture|Circumstances|Standing|Restraint|Taking|Notice|Telling|Shell|Office|Heeded|Sight|Theatre|Grain|Fate|Bell)/

/** The first column of the table below a heading, or another one. */
function column(heading: string, index = 0): string[] {
  const section = GLOSSARY.split(/^## /m).find((part) => part.startsWith(heading)) ?? ''
  const rows = section
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
  return rows.map((row) => row.split(' | ')[index]?.replace(/^\| | \|$/g, '') ?? '')
}

function codeIn(cells: readonly string[]): string[] {
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
}

test('the glossary explains every reason of a condition', () => {
  const [, union = ''] =
    /export type PoolReason =([\s\S]*?)\n\n/.exec(readFileSync(join(ROOT, 'src/protocol/node-pool.ts'), 'utf8')) ?? []
  const reasons = [...union.matchAll(/'(\w+)'/g)].map(([, reason]) => reason)
  expect(codeIn(column('Reasons')).toSorted()).toEqual(reasons.toSorted())
})

test('the glossary explains every phase of a node', () => {
  expect(codeIn(column('Phases'))).toEqual([...NODE_PHASES])
})

test('the glossary explains every field of the status', () => {
  const crd = parse(readFileSync(join(ROOT, 'deploy/crds/nodepools.yaml'), 'utf8'))
  const { properties } = crd.spec.versions[0].schema.openAPIV3Schema.properties.status
  expect(codeIn(column('Fields')).toSorted()).toEqual(Object.keys(properties).toSorted())
})

test.each(codeIn(column('Terms', 2)))('%s, named by the glossary, exists', (name) => {
  if (name.includes('/')) return expect(globSync(`${name}/*`, { cwd: ROOT })).not.toEqual([])
  expect(SOURCES.some((source) => new RegExp(`\\b${name}\\b`).test(source))).toBe(true)
})

test('no exported type has a name that the vocabulary replaced', () => {
  const names = SOURCES.flatMap((source) =>
    [...source.matchAll(/^export (?:interface|type|class) (\w+)/gm)].map(([, name = '']) => name),
  )
  expect(names.filter((name) => REPLACED.test(name))).toEqual([])
})

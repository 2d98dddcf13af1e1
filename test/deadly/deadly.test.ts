import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { deadlyCommits } from '../e2e/product/deadly-commits.ts'
import type { DeadlyResult } from '../e2e/product/deadly-results.ts'
import { aDocument, problemsOf } from '../repo/fleets.ts'
import { deadlyPage, missingFrom } from './page.ts'
import { REFUSED_COMMITS } from './refused-commits.ts'

const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8')
const results: DeadlyResult[] = JSON.parse(read('results.json'))

test.each(REFUSED_COMMITS)('validate refuses $name', ({ kind, spec, cause }) => {
  expect(problemsOf({ 'deadly.yaml': aDocument(kind, 'deadly', `spec: ${spec}\n`) }).join()).toContain(cause)
})

test('docs/deadly-commits.md is as the results say; if not: node test/deadly/main.ts', () => {
  expect(read('../../docs/deadly-commits.md')).toBe(deadlyPage({ results, refused: REFUSED_COMMITS }))
})

test('every commit of the scenario was run, hurt one node at most, and healed within two minutes', () => {
  expect(missingFrom(results, deadlyCommits({ containerd: '', server: '' }))).toEqual([])
  expect(results.filter(({ caughtBy, hurt, healedAfter }) => caughtBy === 'nothing' || hurt > 1 || healedAfter > 120)).toEqual([])
})

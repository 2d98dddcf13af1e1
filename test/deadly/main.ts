/** Writes docs/deadly-commits.md: `node test/deadly/main.ts [results of a run]`; without a file, of the results that are kept here. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DeadlyResult } from '../e2e/product/deadly-results.ts'
import { deadlyPage } from './page.ts'
import { REFUSED_COMMITS } from './refused-commits.ts'

const kept = join(import.meta.dirname, 'results.json')
const results: DeadlyResult[] = JSON.parse(readFileSync(process.argv[2] ?? kept, 'utf8'))
writeFileSync(kept, `${JSON.stringify(results, null, 2)}\n`)
const page = deadlyPage({ results, refused: REFUSED_COMMITS })
writeFileSync(join(import.meta.dirname, '../../docs/deadly-commits.md'), page)

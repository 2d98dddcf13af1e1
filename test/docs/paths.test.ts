/** Every file of the project that a page names is there. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const PAGES = globSync(['*.md', 'docs/**/*.md', 'src/**/README.md'], { cwd: ROOT }).filter((page) => page !== 'CHANGELOG.md')

test.each(PAGES)('files that %s names in code are there', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8')
  const named = [...text.matchAll(/`((?:src|test|bench|scripts)\/[\w./-]+)`/g)].map(([, path = '']) => path)
  expect(named.filter((path) => !/\/[A-Z]+$/.test(path) && !existsSync(join(ROOT, path)))).toEqual([])
})

test.each(['src/rollout/README.md', 'src/rollout/exposure/README.md', 'src/controller/README.md', 'src/agent/README.md'])(
  'files that the tables of %s name are there',
  (page) => {
    const rows = readFileSync(join(ROOT, page), 'utf8').match(/^\|.*\|$/gm) ?? []
    const named = rows.flatMap((row) => [...row.matchAll(/`([\w./-]+\.ts)`/g)].map(([, path = '']) => path))
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((path) => !existsSync(join(ROOT, page, '..', path)))).toEqual([])
  },
)

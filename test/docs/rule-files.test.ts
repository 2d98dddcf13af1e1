import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

test.each(globSync('src/**/README.md', { cwd: ROOT }).sort())('%s names only files that exist', (page) => {
  const names = [...readFileSync(join(ROOT, page), 'utf8').matchAll(/`([\w./-]+\.ts)`/g)].map(([, name = '']) => name)
  const missing = names.filter((name) => [dirname(page), '.'].every((folder) => !existsSync(join(ROOT, folder, name))))
  expect(missing).toEqual([])
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CONTROLLER_STEPS, importsAgainst, ROLLOUT_STEPS } from '../../scripts/folder-order.ts'

const order = ['first', 'second', 'third']

test('importsAgainst finds nothing when every import leads to the same folder, an earlier one, or out of the root', () => {
  const graph = new Map([
    ['src/x/first/a.ts', ['src/x/first/b.ts', 'src/other/third/c.ts']],
    ['src/x/third/a.ts', ['src/x/second/b.ts', 'src/x/first/b.ts']],
    ['src/x/all.ts', ['src/x/third/a.ts', 'src/x/more.ts']],
    ['src/other/third/c.ts', ['src/x/all.ts']],
  ])

  expect(importsAgainst(order, { root: 'src/x', graph })).toEqual([])
})

test('importsAgainst names an import that leads to a later folder, or to a file beside the folders', () => {
  const graph = new Map([
    ['src/x/first/a.ts', ['src/x/second/b.ts']],
    ['src/x/third/a.ts', ['src/x/all.ts', 'src/x/second/b.ts']],
  ])

  expect(importsAgainst(order, { root: 'src/x', graph })).toEqual([
    'src/x/first/a.ts: src/x/second/b.ts is of a later step',
    'src/x/third/a.ts: src/x/all.ts is of a later step',
  ])
})

test('importsAgainst names a file whose folder has no place in the order', () => {
  const graph = new Map([['src/x/fourth/a.ts', []]])

  expect(importsAgainst(order, { root: 'src/x', graph })).toEqual(['src/x/fourth/a.ts: its folder is not in the order of src/x'])
})

test.each([
  ['src/rollout', '| folder | what it decides |', ROLLOUT_STEPS],
  ['src/controller', '| folder | purpose |', CONTROLLER_STEPS],
])('the architecture lists the folders of %s in the order that is enforced', (_, heading, steps) => {
  const architecture = readFileSync(join(import.meta.dirname, '../../docs/architecture.md'), 'utf8')
  const [, table = ''] = architecture.split(heading)
  const [rows = ''] = table.split('\n\n')

  expect([...rows.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, folder]) => folder)).toEqual([...steps])
})

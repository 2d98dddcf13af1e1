import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

/** Of docs/testing.md: rule, properties, example. */
function rows(): string[][] {
  const text = readFileSync(join(ROOT, 'docs/testing.md'), 'utf8')
  const [, table = ''] = text.split('| rule | property | example |\n|---|---|---|\n')
  return (table.split('\n\n')[0] ?? '').split('\n').map((row) => row.split('|').slice(1, -1))
}

function filesIn(cell = ''): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path)
}

test('the table of rules names every rule that a rollout keeps', () => {
  expect(rows().map(([rule = '']) => rule.trim().split(/[ ,]/)[0])).toEqual(
    'Budget A Waves Current Failures A A Nodes Held Zones Waits Windows Dependencies Cordon Gates Version Proof Blast'.split(' '),
  )
})

test.each(rows())('the rule "%s" has a property that is there, and an example by that name', (_, properties, example = '') => {
  const [file = '', ...more] = filesIn(example)
  const named = /"([^"]+)"/.exec(example)?.[1] ?? ''
  expect(filesIn(properties).length).toBeGreaterThan(0)
  expect(more).toEqual([])
  for (const path of filesIn(properties)) expect(readFileSync(join(ROOT, path), 'utf8')).not.toBe('')
  expect(readFileSync(join(ROOT, file), 'utf8')).toContain(named)
})

test('every invariant of the stories stands in its list', () => {
  for (const kind of ['fast', 'full']) {
    const list = readFileSync(join(ROOT, `test/scenarios/${kind}/invariants.ts`), 'utf8')
    for (const path of rows().flatMap(([, properties]) => filesIn(properties)))
      if (path.startsWith(`test/scenarios/${kind}/invariants/`))
        expect(list).toContain(`'./invariants/${path.split('/').at(-1)}'`)
  }
})

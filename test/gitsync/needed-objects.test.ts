import { expect, test } from 'vitest'
import { neededOf } from '../../src/gitsync/needed-objects.ts'
import { parseTree, type TreeEntry } from '../../src/gitsync/tree-object.ts'

const file = (name: string): TreeEntry => ({ kind: 'file', name, id: 'f'.repeat(40) })

test('folders are no longer opened once those that were have more entries than anybody reads', async () => {
  const opened: string[] = []
  const entriesOf = async (id: string) => {
    opened.push(id)
    const next: TreeEntry = { kind: 'tree', name: 'a', id: String(Number(id) + 1) }
    return [next, ...Array.from({ length: 8000 }, (_, n) => file(`b${n}`))]
  }
  await neededOf('1', '', entriesOf)
  expect(opened).toEqual(['1', '2', '3'])
})

test('of a tree with too many entries one more than may be is parsed, and of a name no more than anybody reads', () => {
  const entry = (name: string) => Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.alloc(20, 1)])
  const many = Buffer.concat(Array.from({ length: 30_000 }, (_, n) => entry(String(n))))
  expect(parseTree(many)?.length).toBe(20_001)
  expect(parseTree(entry('n'.repeat(1_000_000)))?.[0]?.name.length).toBe(8192)
})

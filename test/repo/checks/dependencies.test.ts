import { expect, test } from 'vitest'
import { checkDependencies } from '../../../src/repo/checks/dependencies.ts'
import { draftOf } from '../../../src/repo/draft.ts'
import { loadFile } from '../../../src/repo/load-file.ts'
import { aDocument } from '../fleets.ts'

function cycles(pools: Readonly<Record<string, readonly string[]>>): string[] {
  const text = Object.entries(pools).map(([name, on]) =>
    aDocument('NodePool', name, `spec: {nodeSelector: {matchLabels: {pool: ${name}}}, dependsOn: [${on.join(', ')}]}\n`),
  )
  const { documents } = loadFile('p.yaml', new TextEncoder().encode(text.join('---\n')))
  return checkDependencies(draftOf(documents, { files: new Map(), clusters: new Set() }).draft).map(
    ({ at, message, remedy }) => `${at.line}:${at.column} ${message}; ${remedy}`,
  )
}

test('pools in an order are fine, also when two wait for one', () => {
  expect(cycles({ a: [], b: ['a'], c: ['a', 'b'], d: ['gone'] })).toEqual([])
})

test('a pool that waits for itself is refused', () => {
  expect(cycles({ a: ['a'] })).toEqual(['4:60 pools depend on each other in a circle: a → a; remove one of these dependsOn'])
})

test('a circle is told of once, where it closes, also when others lead to it', () => {
  expect(cycles({ a: ['b'], b: ['c'], c: ['d'], d: ['b'], e: ['a'] })).toEqual([
    '9:60 pools depend on each other in a circle: b → c → d → b; remove one of these dependsOn',
  ])
})

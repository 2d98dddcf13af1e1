import { expect, test } from 'vitest'
import { aDocument, problemsOf } from '../fleets.ts'

function pools(...selectors: readonly string[]): string[] {
  const documents = selectors.map((labels, index) =>
    aDocument('NodePool', `p${index}`, `spec: {nodeSelector: {matchLabels: {${labels}}}}\n`),
  )
  return problemsOf({ 'p.yaml': documents.join('---\n') })
}

test('pools with different values of a label are fine', () => {
  expect(pools('role: a', 'role: b', 'role: c, zone: x')).toEqual([])
})

test('pools with equal labels are refused', () => {
  expect(pools('role: a, zone: x', 'zone: x, role: a')).toEqual([
    `p.yaml:9:23  spec: {nodeSelector: {matchLabels: {zone: x, role: a}}}
                                   ^^^^^^^^^^^
  pool "p1" and pool "p0" (p.yaml:4:23) select the same nodes
  give one of them a label that the nodes of the other do not have`,
  ])
})

test('a pool within another is refused', () => {
  expect(pools('role: a', 'role: a, zone: x')).toHaveLength(1)
  expect(pools('role: a, zone: x', '')).toHaveLength(1)
})

test('pools of which each has a label the other has not may overlap, and that shows with the nodes', () => {
  expect(pools('role: a', 'zone: x')).toEqual([])
})

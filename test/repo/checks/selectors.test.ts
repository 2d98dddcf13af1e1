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

test('a pool that selects a value of what another selects by expression is refused', () => {
  const [problem] = problemsOf({
    'p.yaml': [
      aDocument('NodePool', 'zones', 'spec: {nodeSelector: {matchExpressions: [{key: zone, operator: In, values: [a, b]}]}}\n'),
      aDocument('NodePool', 'a', 'spec: {nodeSelector: {matchLabels: {zone: a}}}\n'),
    ].join('---\n'),
  })
  expect(problem).toContain('p.yaml:4:8')
  expect(problem).toContain('pool "zones" and pool "a" (p.yaml:9:23) select the same nodes')
})

test('pools whose expressions exclude each other are fine', () => {
  const documents = ['NotIn, values: [a]', 'In, values: [a]'].map((operator, index) =>
    aDocument('NodePool', `p${index}`, `spec: {nodeSelector: {matchExpressions: [{key: zone, operator: ${operator}}]}}\n`),
  )
  expect(problemsOf({ 'p.yaml': documents.join('---\n') })).toEqual([])
})

test.each([
  ['no condition at all', '{}', 'expected matchLabels, matchExpressions or both'],
  [
    'In without values',
    '{matchExpressions: [{key: zone, operator: In}]}',
    'expected values with In and NotIn, and none with Exists and DoesNotExist',
  ],
  [
    'an unknown operator',
    '{matchExpressions: [{key: zone, operator: Gt, values: ["1"]}]}',
    'expected one of "In", "NotIn", "Exists"',
  ],
])('a selector with %s is refused', (_, selector, expected) => {
  const [problem] = problemsOf({ 'p.yaml': aDocument('NodePool', 'p', `spec: {nodeSelector: ${selector}}\n`) })
  expect(problem).toContain(expected)
})

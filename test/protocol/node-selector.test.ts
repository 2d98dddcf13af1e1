import { expect, test } from 'vitest'
import {
  excludeEachOther,
  isWithin,
  type LabelRequirement,
  type NodeSelector,
  sampleLabels,
  selectsLabels,
} from '../../src/protocol/node-selector.ts'

function where(...matchExpressions: readonly LabelRequirement[]): NodeSelector {
  return { matchLabels: {}, matchExpressions }
}

const inA: LabelRequirement = { key: 'zone', operator: 'In', values: ['a', 'b'] }
const notInA: LabelRequirement = { key: 'zone', operator: 'NotIn', values: ['a'] }
const hasZone: LabelRequirement = { key: 'zone', operator: 'Exists' }
const noZone: LabelRequirement = { key: 'zone', operator: 'DoesNotExist' }

test.each([
  ['In', inA, [true, false, false]],
  ['NotIn', notInA, [false, true, true]],
  ['Exists', hasZone, [true, true, false]],
  ['DoesNotExist', noZone, [false, false, true]],
] as const)('a selector with %s selects as Kubernetes does', (_, requirement, expected) => {
  const nodes = [{ zone: 'a' }, { zone: 'c' }, { role: 'worker' }]
  expect(nodes.map((labels) => selectsLabels(where(requirement), labels))).toEqual(expected)
})

test('a selector needs its labels and its expressions', () => {
  const selector = { matchLabels: { role: 'worker' }, matchExpressions: [inA] }
  expect(selectsLabels(selector, { role: 'worker', zone: 'b' })).toBe(true)
  expect(selectsLabels(selector, { zone: 'b' })).toBe(false)
  expect(selectsLabels(selector, { role: 'worker' })).toBe(false)
})

test('a selector takes no property of every object for a label', () => {
  expect(selectsLabels(where({ key: 'constructor', operator: 'Exists' }), {})).toBe(false)
})

test.each([
  ['fewer values', where({ ...inA, values: ['a'] }), where(inA), true],
  ['more values', where(inA), where({ ...inA, values: ['a'] }), false],
  ['a value that is not excluded', { matchLabels: { zone: 'b' } }, where(notInA), true],
  ['a value that is excluded', { matchLabels: { zone: 'a' } }, where(notInA), false],
  ['any value', where(inA), where(hasZone), true],
  ['no value, where one is excluded', where(noZone), where(notInA), true],
  ['more values excluded', where({ ...notInA, values: ['a', 'b'] }), where(notInA), true],
  ['an excluded value, where there must be one', where(notInA), where(hasZone), false],
  ['another label', where({ ...inA, key: 'rack' }), where(inA), false],
] as const)('isWithin tells for %s', (_, narrow, wide, expected) => {
  expect(isWithin(narrow, wide)).toBe(expected)
})

test.each([
  ['other values', where(inA), { matchLabels: { zone: 'c' } }, true],
  ['one common value', where(inA), { matchLabels: { zone: 'b' } }, false],
  ['an excluded value', where(notInA), { matchLabels: { zone: 'a' } }, true],
  ['present and absent', where(hasZone), where(noZone), true],
  ['a value and an absent label', where(inA), where(noZone), true],
  ['excluded and absent', where(notInA), where(noZone), false],
  ['excluded and present', where(notInA), where(hasZone), false],
  ['different labels', where(inA), { matchLabels: { role: 'worker' } }, false],
] as const)('excludeEachOther tells for %s', (_, a, b, expected) => {
  expect(excludeEachOther(a, b)).toBe(expected)
  expect(excludeEachOther(b, a)).toBe(expected)
})

test('sampleLabels gives labels that the selector selects', () => {
  expect(
    sampleLabels({ matchLabels: { role: 'worker' }, matchExpressions: [inA, notInA, { key: 'gpu', operator: 'Exists' }] }),
  ).toEqual({
    role: 'worker',
    zone: 'b',
    gpu: '',
  })
  expect(sampleLabels(where(notInA))).toEqual({})
  expect(sampleLabels(where(notInA, hasZone))).toEqual({ zone: '' })
})

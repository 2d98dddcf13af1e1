import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { aNode, aPool, aWave, minute, nodes, noon, selected } from '../builders.ts'

const waves = [aWave('canary', 1, { soak: minute })]
const putBack = (name: string) => aNode(name).rolledBackFrom('bad', { at: noon - 40 * minute })
const overdue = (name: string) => aNode(name).assignedTo('bad', { at: noon - 30 * minute })

test.each([
  ['a', 'b'],
  ['b', 'a'],
])('a broken node that is unavailable comes into a wave before one that was put back: "%s" before "%s"', (stuck, served) => {
  const pool = aPool({ head: 'fix', since: noon - minute, waves, wave: { index: 1, count: 2, name: 'canary' } }).with(
    overdue(stuck),
    putBack(served),
    ...nodes('c', 'd'),
  )

  expect(selected(decide(pool, noon))).toEqual([stuck])
})

test.each([
  ['a', 'b'],
  ['b', 'a'],
])('a node with overdue work in one zone does not lock out a canary of another zone: "%s", "%s"', (stuck, served) => {
  const pool = aPool({ head: 'fix', since: noon - minute, waves, zones: 'OneAtATime' }).with(
    overdue(stuck).inZone('zone-a'),
    putBack(served).inZone('zone-b'),
  )

  expect(selected(decide(pool, noon))).toEqual([stuck])
})

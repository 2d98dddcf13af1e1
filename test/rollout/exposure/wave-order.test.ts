import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { selected } from '../builders/decisions.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode, nodes } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'

const waves = [aWave('canary', 1, { soak: minute })]
const undone = (name: string) => aNode(name).rolledBackFrom('bad', { at: noon - 40 * minute })
const overdue = (name: string) => aNode(name).assignedTo('bad', { at: noon - 30 * minute })

test.each([
  ['a', 'b'],
  ['b', 'a'],
])('a broken node that is unavailable comes into a wave before one that was put back: "%s" before "%s"', (stuck, served) => {
  const pool = aPool({ head: 'fix', since: noon - minute, waves, wave: { index: 1, count: 2, name: 'canary' } }).with(
    overdue(stuck),
    undone(served),
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
    undone(served).inZone('zone-b'),
  )

  expect(selected(decide(pool, noon))).toEqual([stuck])
})

test.each([
  ['is not Ready, whatever its agent says', undone('broken').notReady(noon - 20 * minute)],
  ['does not end its work', overdue('broken')],
])('no further broken node is tried after one in vain: a sound one takes the place of a node that %s', (_, broken) => {
  const tried = aNode('tried')
    .notReady(noon - 60 * minute)
    .assignedTo('fix', { at: noon - 30 * minute })
  const wave = { index: 1, count: 2, name: 'canary', opened: ['canary'] }
  const pool = aPool({ head: 'fix', since: noon - 40 * minute, waves, wave }).with(tried, broken, aNode('sound').on('older'))

  expect(selected(decide(pool, noon))).toEqual(['sound'])
})

test('a node that is down for long since it was drained for an older commit is no canary before a sound one', () => {
  const waves = [aWave('canary', 1)]
  const down = aNode('down')
    .on('older')
    .drainedFor('an older commit')
    .notReady(noon - 15 * minute)
  const pool = aPool({ head: 'fix', stable: 'older', since: noon - minute, waves })

  expect(selected(decide(pool.with(down, aNode('sound').on('older')), noon))).toEqual(['sound'])
})

test('a node that was put back, and serves, is tried after one in vain', () => {
  const tried = aNode('tried')
    .notReady(noon - 60 * minute)
    .assignedTo('fix', { at: noon - 30 * minute })
  const wave = { index: 1, count: 2, name: 'canary', opened: ['canary'] }
  const pool = aPool({ head: 'fix', since: noon - 40 * minute, waves, wave }).with(
    tried,
    undone('served'),
    aNode('sound').on('older'),
  )

  expect(selected(decide(pool, noon))).toEqual(['served'])
})

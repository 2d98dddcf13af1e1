import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { aNode, aPool, aWave, condition, minute, nodes, noon, selected } from '../builders.ts'

const waves = [aWave('canary', 1, { soak: minute })]
const down = (...names: string[]) => nodes(...names).map((node) => node.on('older').notReady(noon - 30 * minute))
const up = (...names: string[]) => nodes(...names).map((node) => node.on('older'))

test('a fix reaches as many dead nodes as its wave has places when they use up the budget', () => {
  const pool = aPool({ head: 'fix', stable: 'older', waves, maxUnavailable: 2 }).with(...down('a', 'b', 'c'), ...up('d', 'e'))

  expect(selected(decide(pool, noon)).every((name) => ['a', 'b', 'c'].includes(name))).toBe(true)
  expect(selected(decide(pool, noon))).toHaveLength(1)
})

test('no further dead node is tried while those that are do not answer', () => {
  const pool = aPool({ head: 'fix', stable: 'older', since: noon - minute, waves, maxUnavailable: 2 }).with(
    ...down('a', 'b').map((node) => node.assignedTo('fix', { at: noon - minute })),
    ...down('c'),
    ...up('d', 'e'),
  )

  expect(selected(decide(pool, noon))).toEqual([])
})

test.each(['a', 'b', 'c', 'd'])('a dead node that came back with the fix is the canary: "%s"', (back) => {
  const pool = aPool({ head: 'fix', stable: 'older', since: noon - 5 * minute, waves, maxUnavailable: 4 }).with(
    ...down('a', 'b', 'c', 'd').map((node) => {
      const fixed = node.assignedTo('fix', { at: noon - 4 * minute })
      return node.name === back ? fixed.reporting('Applied').readyAgain(noon - 3 * minute) : fixed
    }),
    ...up('g', 'h'),
  )

  expect(decide(pool, noon).status.wave?.name).toBe('rest')
})

test('dead nodes wait for their wave while a node at work will give the budget back', () => {
  const pool = aPool({ head: 'fix', stable: 'older', since: noon - minute, waves, maxUnavailable: 2 }).with(
    aNode('x').assignedTo('fix', { at: noon - minute }),
    ...down('a', 'b'),
    ...up('d', 'e'),
  )

  expect(selected(decide(pool, noon))).toEqual([])
})

test('a node takes the place of one that cannot be paid for only when it has been down for longer than its work may take', () => {
  const blinks = aNode('a')
    .on('older')
    .notReady(noon - 14 * minute)
  const pool = aPool({ head: 'fix', stable: 'older', waves, maxUnavailable: 1 }).with(blinks, ...up('d', 'e'))

  expect(selected(decide(pool, noon))).toEqual([])
  expect(selected(decide(pool, noon + minute))).toEqual(['a'])
})

const rack = [aWave('rack', { rack: '1' }, { soak: minute })]
const stuck = (name: string) => aNode(name).assignedTo('bad', { at: noon - 30 * minute })
const member = aNode('m').labelled({ rack: '1' })

test('nobody takes a place in a wave that a selector names', () => {
  const pool = aPool({ head: 'fix', since: noon - minute, waves: rack, maxUnavailable: 1 }).with(member, stuck('a'))

  expect(selected(decide(pool, noon))).toEqual([])
  expect(condition(decide(pool, noon), 'Ready').message).toContain('used up by "a" (its agent has not finished in time)')
})

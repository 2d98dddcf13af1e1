import { expect, test } from 'vitest'
import { decide } from '../../src/rollout/decide.ts'
import { aNode, aPool, condition, nodes, noon, taken, verdict } from './builders.ts'

test('a paused pool takes no node, and tells why', () => {
  const decision = decide(aPool({ stable: 'older', controls: { paused: 'storm' } }).with(...nodes('a', 'b')), noon)

  expect(taken(decision)).toEqual([])
  expect(condition(decision, 'Stalled')).toMatchObject({ reason: 'Paused', message: 'paused: storm; nodes under way finish' })
})

test('a paused pool that has nothing to do is Ready', () => {
  const pool = aPool({ head: 'older', stable: 'older', controls: { paused: '' } }).with(aNode('a').on('older'))

  expect(verdict(decide(pool, noon))).toEqual({
    Ready: 'True Completed',
    Reconciling: 'False Completed',
    Stalled: 'False Completed',
  })
})

test('a pool of a paused fleet takes no node, and tells why', () => {
  const decision = decide(aPool({ stable: 'older', fleet: { paused: '' } }).with(...nodes('a', 'b')), noon)

  expect(taken(decision)).toEqual([])
  expect(condition(decision, 'Stalled')).toMatchObject({
    reason: 'Paused',
    message: 'the whole fleet is paused; nodes under way finish',
  })
})

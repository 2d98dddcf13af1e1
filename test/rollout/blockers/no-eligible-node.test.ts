import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import { condition, verdict } from '../builders/decisions.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aGate, aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'

/** A pool on its way from `older` to `new`, which takes a drain. */
function rolling(members: readonly NodeView[], options: PoolOptions = {}) {
  return decide(aPool({ stable: 'older', since: noon - 9 * minute, disruption: 'drain', ...options }).with(...members), noon)
}

const a = aNode('a').on('older')
const stalled = { Ready: 'False NoEligibleNode', Reconciling: 'False NoEligibleNode', Stalled: 'True NoEligibleNode' }
const waiting = { Ready: 'False NoEligibleNode', Reconciling: 'True NoEligibleNode', Stalled: 'False NoEligibleNode' }

test.each([
  ['a person uncordoned in its drain', a.drainedFor('new', { state: 'Released' })],
  ['somebody cordoned', a.cordoned()],
  ['is held', a.held()],
  ['is assigned by hand', a.byHand()],
])('a pool is stalled when the only node %s', (_, node) => {
  expect(verdict(rolling([node]))).toEqual(stalled)
})

test.each([
  ['was given up in its drain a minute ago', a.drainedFor('new', { state: 'Skipped' })],
  ['was down when it was assigned, and still is', a.notReady(noon - 9 * minute).assignedTo('new', { at: noon - 8 * minute })],
])('a pool waits when the only node %s', (_, node) => {
  expect(verdict(rolling([node]))).toEqual(waiting)
})

test('a pool says of each node that is left out why, and what would bring it back', () => {
  const members = [a.drainedFor('new', { state: 'Released' }), aNode('b').on('older').held(), aNode('c').on('older').held()]

  expect(condition(rolling(members), 'Stalled').message).toBe(
    'no eligible node for new; "a": uncordoned during its drain; it waits for another commit, or remove the ' +
      'annotation cordoned-for; "b", "c": held; include it with: nodewave release b c',
  )
})

test('a pool with a held and a cordoned node says what the documentation shows', () => {
  const members = [aNode('gpu-1').on('older').held(), aNode('gpu-2').on('older').cordoned()]

  expect(condition(rolling(members, { head: '3f2c9ab01d7e' }), 'Stalled').message).toBe(
    'no eligible node for 3f2c9ab; "gpu-1": held; include it with: nodewave release gpu-1; "gpu-2": cordoned by somebody else; run: kubectl uncordon gpu-2',
  )
})

test('a pool whose canary is left out is stalled though nodes of later waves could be taken', () => {
  const waves = [aWave('canary', { rack: '9' }), aWave('rest', '100%')]

  expect(verdict(rolling([a.labelled({ rack: '9' }).cordoned(), aNode('b').on('older')], { waves }))).toEqual(stalled)
})

test('a pool goes on without those that are left out while another node can be taken', () => {
  expect(verdict(rolling([a.held(), aNode('b').on('older')])).Reconciling).toBe('True RollingOut')
})

test('a pool tells of its pause rather than of nodes that are left out', () => {
  expect(verdict(rolling([a.held()], { controls: { paused: '' } })).Stalled).toBe('True Paused')
})

test('a pool goes on while a node of an earlier wave is at work, though those of the newest are left out', () => {
  const waves = [aWave('canary', { rack: '9' }), aWave('late', { rack: '1' }), aWave('rest', '100%')]
  const wave = { index: 2, count: 3, name: 'late', opened: ['canary', 'late'] }
  const atWork = a
    .labelled({ rack: '9' })
    .assignedTo('new', { at: noon - minute })
    .reporting('Applying')
  const leftOut = aNode('b').on('older').labelled({ rack: '1' }).cordoned()

  expect(verdict(rolling([atWork, leftOut], { waves, wave })).Stalled).toBe('False RollingOut')
})

test('a pool whose waves are done waits for their gate, though the nodes of the newest are left out', () => {
  const waves = [aWave('canary', { rack: '9' }), aWave('rest', '100%')]
  const wave = { index: 2, count: 2, name: 'rest', opened: ['canary', 'rest'] }
  const done = a.labelled({ rack: '9' }).on('new', { at: noon - 5 * minute })
  const leftOut = aNode('b').on('older').cordoned()

  expect(verdict(rolling([done, leftOut], { waves, wave, gates: [aGate('disk')] })).Stalled).toBe('False WaitingForGate')
})

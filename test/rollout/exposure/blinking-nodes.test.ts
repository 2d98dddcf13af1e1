import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { assignments, phases } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, type NodeDraft } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'

const canaryOpen: PoolOptions = {
  stable: 'older',
  waves: [aWave('canary', 1), aWave('rest', '100%')],
  history: [
    aRollout('new', { startedAt: noon - 2 * minute }),
    aRollout('mid', { result: 'Superseded', startedAt: noon - 3 * hour }),
    aRollout('older', { result: 'Completed', startedAt: noon - 5 * hour }),
  ],
}
const allOpen: PoolOptions = { ...canaryOpen, wave: { index: 2, count: 2, name: 'rest', opened: ['canary', 'rest'] } }
const canary = aNode('c')
  .assignedTo('new', { at: noon - 2 * minute })
  .reporting('Applying')
const atMid = aNode('a').on('mid')

function decided(node: NodeDraft, options = canaryOpen) {
  return decide(aPool(options).with(canary, node, aNode('b').on('older')), noon)
}

test.each([
  ['runs it', atMid],
  ['was restored from it', aNode('a').rolledBackFrom('mid', { at: noon - 2 * hour, to: 'oldest' })],
])(
  'a node that still has a superseded commit, and %s, is repaired when it is not Ready for a minute, and not before',
  (_, node) => {
    expect(assignments(decided(node.notReady(noon - minute + 1)))).toEqual([])
    expect(decided(node.notReady(noon - minute + 1)).wakeAt).toBe(noon + 1)
    expect(assignments(decided(node.notReady(noon - minute)))).toEqual(['a → older'])
  },
)

test('a node whose agent could not restore it is repaired when it is not Ready for a moment', () => {
  const failed = aNode('a')
    .assignedTo('mid', { at: noon - 2 * hour })
    .reporting('Failed')

  expect(assignments(decided(failed.notReady(noon - 1)))).toEqual(['a → older'])
})

test('a node is repaired when it is not Ready since an instant that is more than a minute ahead: its clock is wrong', () => {
  expect(assignments(decided(atMid.notReady(noon + hour)))).toEqual(['a → older'])
})

test('a node that somebody cordoned keeps its superseded commit when it is not Ready for less than a minute', () => {
  const without = { ...allOpen, maxUnavailable: 3 }

  expect(assignments(decided(atMid.cordoned().notReady(noon - minute + 1), without))).not.toContain('a → new')
  expect(assignments(decided(atMid.cordoned().notReady(noon - minute), without))).toContain('a → new')
})

test('a sound node is the canary of a fix when one with the superseded commit is not Ready for less than a minute', () => {
  const canaryOf = (node: NodeDraft) =>
    assignments(decide(aPool({ ...canaryOpen, maxUnavailable: 2 }).with(node, aNode('b').on('older')), noon))

  expect(canaryOf(atMid.notReady(noon - minute + 1))).toEqual(['b → new'])
  expect(canaryOf(atMid.notReady(noon - minute))).toEqual(['a → new'])
  expect(phases(decided(atMid.notReady(noon - minute + 1)))).toEqual({ Applying: 1, Unreachable: 1, Waiting: 1 })
})

import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { assignments, condition, remembering, verdict } from '../builders/decisions.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode, type NodeDraft, nodes } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'

const waves = [aWave('canary', { canary: 'yes' }, { soak: minute })]
const options = { head: 'new', stable: 'older', waves }
const old = nodes('d', 'e', 'f').map((node) => node.on('older'))
const canary = aNode('a').labelled({ canary: 'yes' }).on('older')
const tried = canary.assignedTo('new', { at: noon })

/** The next pass, when these nodes are there. */
function next(...members: readonly NodeDraft[]) {
  const before = aPool(options).with(canary, ...old)
  return decide(remembering(aPool(options).with(...members), decide(before, noon)), noon + minute)
}

test('a wave with a selector does not end when its only node was deleted', () => {
  const decision = next(...old)

  expect(assignments(decision)).toEqual([])
  expect(verdict(decision).Stalled).toBe('True NoEligibleNode')
  expect(condition(decision, 'Stalled').message).toBe(
    'no eligible node for new; no node is left that wave "canary" selects; label another node for it, or change the wave',
  )
})

test('a wave with a selector does not end when its only node is being deleted', () => {
  const decision = next(tried.beingDeleted(), ...old)

  expect(assignments(decision)).toEqual([])
  expect(condition(decision, 'Stalled').message).toBe('no eligible node for new; "a": being deleted')
})

test('a wave with a selector does not end when its only node is held', () => {
  const decision = next(tried.held(), ...old.map((node) => (node.name === 'd' ? node.held() : node)))

  expect(assignments(decision)).toEqual([])
  expect(condition(decision, 'Stalled').message).toBe('no eligible node for new; "a": held; include it with: nodewave release a')
})

test('a wave with a selector does not begin without its node when that is held before', () => {
  expect(assignments(decide(aPool(options).with(canary.held(), ...old), noon))).toEqual([])
})

test('a wave that lost its node goes on with another one that is labelled for it', () => {
  expect(assignments(next(...old, aNode('b').labelled({ canary: 'yes' }).on('older')))).toEqual(['b → new'])
})

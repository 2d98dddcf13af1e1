import { expect, test } from 'vitest'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import type { Action } from '../../../src/rollout/model/decision.ts'
import { minute, noon } from '../../rollout/builders/instants.ts'
import { aNode, type NodeDraft } from '../../rollout/builders/nodes.ts'
import { aPool } from '../../rollout/builders/pools.ts'
import { drainsStopped } from './invariants/drains-stopped.ts'

const drained = aNode('a').on('older').drainedFor('new')
const uncordon: Action = { kind: 'uncordon', node: 'a', lifts: true }
const evict: Action = { kind: 'evict', node: 'a', pod: { namespace: 'shop', name: 'x', uid: 'x' } }
const assign: Action = { kind: 'assign', node: 'a', revision: 'new', digest: 'new', grant: 'drain', at: noon }
const stops = { paused: 'the drain hurts', stopDrains: true } as const

/** Whether the claim holds when these things are done, and no others. */
function holds(
  node: NodeDraft,
  actions: readonly Action[],
  { pool = {}, fleet = {} }: { pool?: { paused?: string; stopDrains?: true }; fleet?: { paused?: string; stopDrains?: true } },
): boolean | undefined {
  const pools = [aPool({ stable: 'older', since: noon - minute, controls: pool }).with(node)]
  const snapshot = { pools, policy: {}, controls: fleet }
  const decisions = new Map([...decideFleet(snapshot, noon)].map(([name, decision]) => [name, { ...decision, actions }]))
  return drainsStopped.ofDecision?.({ fleet: snapshot, at: noon, decisions, isNews: true, held: new Set() })
}

test.each([
  ['pool', { pool: stops }],
  ['fleet', { fleet: stops }],
])('the claim falls when a pause of the %s stops drains, and one goes on, or its node stays cordoned', (_, where) => {
  expect(holds(drained, [uncordon], where)).toBe(true)
  expect(holds(drained, [], where)).toBe(false)
  expect(holds(drained, [uncordon, evict], where)).toBe(false)
  expect(holds(drained, [uncordon, assign], where)).toBe(false)
})

test('the claim holds when nothing stops drains', () => {
  expect(holds(drained, [evict], { pool: { paused: '' } })).toBe(true)
  expect(holds(drained, [evict], { pool: { stopDrains: true } })).toBe(true)
})

test('an agent at work finishes; one that waits for a drain does not', () => {
  const given = drained.assignedTo('new', { at: noon - minute })

  expect(holds(given.reporting('Applying'), [], { pool: stops })).toBe(true)
  expect(holds(given.reporting('Blocked', { needs: 'drain' }), [], { pool: stops })).toBe(false)
})

import { expect, test } from 'vitest'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import { fleetBudget } from '../../../src/rollout/fleet/fleet-budget.ts'
import type { Decision } from '../../../src/rollout/model/decision.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { selected } from '../builders/decisions.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode, type NodeDraft } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'

const options = { head: 'fix', stable: 'older', since: noon - minute, waves: [aWave('canary', 1)], maxUnavailable: 3 } as const

function pool(name: string, ...members: readonly NodeDraft[]): PoolSnapshot {
  return { ...aPool(options).with(...members), name }
}

const up = (name: string) => aNode(name).on('older')
const down = (name: string) => up(name).notReady(noon - 30 * minute)
const atWork = (name: string) => up(name).assignedTo('fix', { at: noon - minute, pool: 'web' })

/** Of each pool, the nodes that get something when the fleet bears so many unavailable ones. */
function granted(allowed: number, ...pools: readonly PoolSnapshot[]): Record<string, string[]> {
  const decisions = decideFleet({ pools, policy: { maxUnavailable: { count: allowed } }, controls: {} }, noon)
  return Object.fromEntries([...decisions].map(([name, decision]) => [name, selected(decision)]))
}

function decisionOf(decisions: ReadonlyMap<string, Decision>): Decision {
  const decision = decisions.get('gpu')
  if (!decision) throw new Error('no decision')
  return decision
}

test('a dead node takes no place of a wave while work in another pool will give the budget of the Fleet back', () => {
  expect(granted(2, pool('gpu', down('g0'), up('g1')), pool('web', atWork('w0'), up('w1')))).toEqual({ gpu: [], web: [] })
})

test('a dead node takes no place of a wave when another pool gets the last place of the Fleet in the same pass', () => {
  expect(granted(2, pool('gpu', down('g0'), up('g1')), pool('aaa', up('a0'), up('a1')))).toEqual({ aaa: ['a1'], gpu: [] })
})

test('a dead node takes a place of a wave when dead nodes of another pool use up the budget of the Fleet, too', () => {
  const dead = pool('web', down('w0'), down('w1'))

  expect(granted(3, pool('gpu', down('g0'), up('g1')), dead)).toMatchObject({ gpu: ['g0'] })
})

test('a dead node takes a place of a wave when a dead node of no pool uses up the budget of the Fleet, too', () => {
  const fleet = { pools: [pool('gpu', down('g0'), up('g1'))], strays: [down('s0')], controls: {} }

  expect(selected(decisionOf(decideFleet({ ...fleet, policy: { maxUnavailable: { count: 2 } } }, noon)))).toEqual(['g0'])
  expect(selected(decisionOf(decideFleet({ ...fleet, policy: { maxUnavailable: { count: 3 } } }, noon)))).toEqual(['g1'])
})

test('of a pool that cannot be assessed, no unavailable node is taken to come back', () => {
  const budget = (allowed: number) =>
    fleetBudget({ pools: [pool('gpu', down('g0'))], claims: new Map() }, { count: allowed })?.isGivenBack

  expect([budget(1), budget(2)]).toEqual([false, true])
})

test('a node at work on a superseded commit gets the fix when it uses up the budget of the Fleet', () => {
  const superseded = up('g0').assignedTo('bad', { at: noon - 2 * minute, pool: 'gpu' })

  expect(granted(1, pool('gpu', superseded, up('g1')))).toEqual({ gpu: ['g0'] })
})

test('a node that hangs on the stable content gets the fix when its pods are gone, and it alone uses up the budget of the Fleet', () => {
  const hanging = aNode('g0')
    .assignedTo('older', { at: noon - 30 * minute, pool: 'gpu' })
    .reporting('Applying')
    .drainedFor('older')
  const early = { tier: 'early' }
  const waves = [aWave('canary', 1), aWave('early', early)]
  const wave = { index: 2, count: 3, name: 'early', opened: ['canary', 'early'] }
  const members = [hanging, up('g1').labelled(early), aNode('g2').on('fix', { at: noon - minute, pool: 'gpu' })]
  const gpu = aPool({ ...options, waves, wave, disruption: 'drain', pods: { g0: [] } }).with(...members)

  expect(granted(1, { ...gpu, name: 'gpu' })).toEqual({ gpu: ['g0'] })
})

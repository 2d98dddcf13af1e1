import { expect, test } from 'vitest'
import type { WaveStatus } from '../../../src/protocol/node-pool.ts'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import type { Action } from '../../../src/rollout/model/decision.ts'
import { minute, noon } from '../../rollout/builders/instants.ts'
import { aNode } from '../../rollout/builders/nodes.ts'
import { aWave } from '../../rollout/builders/policies.ts'
import { aPool } from '../../rollout/builders/pools.ts'
import { wavesStay } from './invariants/waves-stay.ts'

const since = noon - 5 * minute
const waves = [aWave('canary', 1), aWave('early', '30%')]

/** The canary, then early with so many nodes, is open. */
function open(nodes: number): WaveStatus {
  return { index: 2, count: 3, name: 'early', opened: ['canary', 'early'], sizes: [{ name: 'early', nodes }] }
}

/**
 * Whether the claim holds when a pool of ten nodes, of which so many have the target, selects so many more, and its status says that of its
 * waves where it said this before.
 */
function holds({
  before,
  after,
  at,
  more = 0,
}: {
  before?: WaveStatus
  after: WaveStatus
  at: number
  more?: number
}): boolean | undefined {
  const members = Array.from({ length: 10 }, (_, i) =>
    aNode(`n${i}`).on(i < at ? 'new' : 'older', { at: since + (i < at ? 1000 : -minute) }),
  )
  const pool = aPool({ stable: 'older', since, waves, ...(before && { wave: before }) }).with(...members)
  const fleet = { pools: [pool], policy: {}, controls: {} }
  const selected = members.slice(at, at + more).map(({ name: node }): Action => {
    return { kind: 'assign', node, revision: 'new', digest: 'new', grant: 'restart', at: noon }
  })
  const decisions = [...decideFleet(fleet, noon)].map(([name, { status, ...decision }]) => {
    return [name, { ...decision, actions: selected, status: { ...status, wave: after } }] as const
  })
  return wavesStay.ofDecision?.({ fleet, at: noon, decisions: new Map(decisions), isNews: true, held: new Set() })
}

const canary: WaveStatus = { index: 1, count: 3, name: 'canary', opened: ['canary'] }

test('the claim falls when a wave opens with more nodes than its percentage is', () => {
  expect(holds({ before: canary, after: open(3), at: 1 })).toBe(true)
  expect(holds({ before: canary, after: open(4), at: 1 })).toBe(false)
})

test('the claim falls when an open wave grows, and not when it shrinks', () => {
  expect(holds({ before: open(2), after: open(3), at: 1 })).toBe(false)
  expect(holds({ before: open(3), after: open(2), at: 1 })).toBe(true)
})

test('the claim falls when the open waves select more nodes than they have places, and not when they have all of them', () => {
  expect(holds({ before: open(3), after: open(3), at: 2, more: 2 })).toBe(true)
  expect(holds({ before: open(3), after: open(3), at: 2, more: 3 })).toBe(false)
  expect(holds({ before: canary, after: canary, at: 1, more: 1 })).toBe(false)
  expect(holds({ before: open(3), after: { ...open(3), index: 3, opened: ['canary', 'early', 'rest'] }, at: 4, more: 3 })).toBe(
    true,
  )
})

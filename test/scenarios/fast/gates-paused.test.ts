import { expect, test } from 'vitest'
import type { GateStatus, PoolCondition } from '../../../src/protocol/node-pool.ts'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import { stamp } from '../../../src/rollout/model/instant.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { minute, noon } from '../../rollout/builders/instants.ts'
import { aNode } from '../../rollout/builders/nodes.ts'
import { aGate, aWave } from '../../rollout/builders/policies.ts'
import { aPool } from '../../rollout/builders/pools.ts'
import { gatesPaused } from './invariants/gates-paused.ts'

const since = noon - 20 * minute
const canary = aNode('a').on('new', { at: since })
const pool = aPool({ stable: 'older', since, waves: [aWave('canary', 1), aWave('rest', '100%')], gates: [aGate('slo')] })

/** Whether the claim holds when the pool does what it does while nobody has paused it, and this is so. */
function holds(
  isSo: Partial<Pick<PoolSnapshot, 'nodes' | 'controls'>> & {
    readonly fleetPaused?: true
    readonly before?: Partial<PoolSnapshot['memory']>
    readonly after?: Partial<GateStatus>
    readonly asks?: false
  },
): boolean | undefined {
  const { fleetPaused, before, after = {}, asks, ...shown } = isSo
  const snapshot = pool.with(canary, aNode('b').on('older'))
  const decisions = [...decideFleet({ pools: [snapshot], policy: {}, controls: {} }, noon)].map(([name, decision]) => {
    expect(decision.actions).toMatchObject([{ kind: 'askGate', question: 'after', nodes: ['a'] }])
    const gates = decision.status.gates?.map((gate) => ({ ...gate, ...after }))
    return [
      name,
      { ...decision, actions: asks === false ? [] : decision.actions, status: { ...decision.status, ...(gates && { gates }) } },
    ] as const
  })
  const pools = [{ ...snapshot, ...shown, memory: { ...snapshot.memory, ...before } }]
  const fleet = { pools, policy: {}, controls: fleetPaused ? { paused: '' } : {} }
  return gatesPaused.ofDecision?.({ fleet, at: noon, decisions: new Map(decisions), isNews: true, held: new Set() })
}

test('the claim falls when a gate is checked during a pause of the pool or the fleet', () => {
  expect(holds({})).toBe(true)
  expect(holds({ controls: { paused: '' } })).toBe(false)
  expect(holds({ fleetPaused: true })).toBe(false)
})

test('the claim falls when a gate fails during a pause, and not when it had failed before', () => {
  const failed: GateStatus = {
    name: 'slo',
    wave: 'canary',
    revision: 'new',
    rollout: stamp(since),
    state: 'Failed',
    since: stamp(noon),
  }
  const paused = { controls: { paused: '' }, asks: false, after: failed } as const

  expect(holds(paused)).toBe(false)
  expect(holds({ ...paused, before: { gates: [failed] } })).toBe(true)
})

test('the claim falls when a timeout has run during a pause', () => {
  const paused: PoolCondition = {
    type: 'Stalled',
    status: 'True',
    reason: 'Paused',
    message: 'paused',
    lastTransitionTime: stamp(since),
  }

  expect(holds({ before: { conditions: [paused] } })).toBe(true)
  expect(holds({ before: { conditions: [paused] }, after: { since: stamp(noon - minute) } })).toBe(false)
  expect(holds({ after: { since: stamp(noon - minute) } })).toBe(true)
})

test('the claim falls when a gate is checked while a node that has changed is not Ready, unless nothing waits for that node', () => {
  expect(holds({ nodes: [canary.notReady()] })).toBe(false)
  expect(holds({ nodes: [canary.notReady().held()] })).toBe(true)
  expect(holds({ nodes: [canary.assignedWhileDown().notReady()] })).toBe(true)
  expect(holds({ nodes: [canary.notReady(noon - 16 * minute)] })).toBe(true)
  expect(holds({ nodes: [canary.notReady(noon + 14 * minute)] })).toBe(false)
  expect(holds({ nodes: [canary.notReady(noon + 16 * minute)] })).toBe(true)
})

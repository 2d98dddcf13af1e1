import { expect, test } from 'vitest'
import type { FleetPolicy } from '../../../src/rollout/decide-fleet.ts'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import type { Action } from '../../../src/rollout/model/decision.ts'
import { hour, minute, noon } from '../../rollout/builders/instants.ts'
import { aNode, type NodeDraft } from '../../rollout/builders/nodes.ts'
import { aPool } from '../../rollout/builders/pools.ts'
import { idleLimit } from './invariants/idle-limit.ts'

const idle = (name: string) => aNode(name).on('older').cordoned()
const others = ['x', 'y'].map((name) => aNode(name).on('older'))

/** Whether the claim holds when these nodes are selected, of which as many may be unavailable. */
function holds(
  nodes: readonly NodeDraft[],
  {
    maxUnavailable = 1,
    beside = [],
    policy = {},
  }: { maxUnavailable?: number; beside?: readonly NodeDraft[]; policy?: FleetPolicy } = {},
): boolean | undefined {
  const pool = aPool({ stable: 'older', since: noon - minute, maxUnavailable }).with(...nodes, ...beside, ...others)
  const fleet = { pools: [pool], policy, controls: {} }
  const actions = nodes.map(({ name: node }): Action => {
    return { kind: 'assign', node, revision: 'new', digest: 'new', grant: 'restart', at: noon }
  })
  const decisions = new Map([...decideFleet(fleet, noon)].map(([name, decision]) => [name, { ...decision, actions }]))
  return idleLimit.ofDecision?.({ fleet, at: noon, decisions, isNews: true, held: new Set() })
}

test('the claim falls when more idle nodes change at once than may be unavailable in the pool, or in the fleet', () => {
  expect(holds([idle('a')])).toBe(true)
  expect(holds([idle('a'), idle('b')])).toBe(false)
  expect(holds([idle('a'), idle('b')], { maxUnavailable: 2 })).toBe(true)
  expect(holds([idle('a'), idle('b')], { maxUnavailable: 2, policy: { maxUnavailable: { count: 1 } } })).toBe(false)
})

test('a node that is not Ready is idle for a while, unless a change has failed on it; one at work counts', () => {
  const failed = (name: string) => aNode(name).rolledBackFrom('bad').notReady()
  const unrestored = (name: string) =>
    aNode(name)
      .assignedTo('fix', { at: noon - minute })
      .assignedWhile('Unsound')
      .reporting('Blocked')
      .notReady(noon - minute)
  const down = (name: string, since: number) => aNode(name).on('older').notReady(since)
  const atWork = aNode('b')
    .assignedTo('new', { at: noon - minute })
    .cordoned()

  expect(holds([down('a', noon - minute), down('b', noon - minute)])).toBe(false)
  expect(holds([down('a', noon - hour), down('b', noon - hour)])).toBe(true)
  expect(holds([down('a', noon - minute).drainedFor('new'), down('b', noon - minute)])).toBe(true)
  expect(holds([failed('a'), failed('b')])).toBe(true)
  expect(holds([unrestored('a'), unrestored('b')])).toBe(true)
  expect(holds([idle('a')], { beside: [atWork] })).toBe(false)
})

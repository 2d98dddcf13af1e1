import { expect, test } from 'vitest'
import type { CordonMark } from '../../../src/protocol/cordon-mark.ts'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import type { Action } from '../../../src/rollout/model/decision.ts'
import { noon } from '../../rollout/builders/instants.ts'
import { aNode, type NodeDraft } from '../../rollout/builders/nodes.ts'
import { aPool } from '../../rollout/builders/pools.ts'
import { unhealthyStayCordoned } from './invariants/unhealthy-stay-cordoned.ts'

const cordoned = aNode('a').on('new').drainedFor('new')
const uncordon = { kind: 'uncordon', node: 'a', lifts: true } as const

/** Whether the claim holds when this is done to the node. */
function holds(node: NodeDraft, action: Action = uncordon): boolean | undefined {
  const fleet = { pools: [aPool({ stable: 'older' }).with(node)], policy: {}, controls: {} }
  const decisions = new Map([...decideFleet(fleet, noon)].map(([name, decision]) => [name, { ...decision, actions: [action] }]))
  return unhealthyStayCordoned.ofDecision?.({ fleet, at: noon, decisions, isNews: true, held: new Set() })
}

test('the claim falls when a node is uncordoned that is not Ready, that runs no pod, or that is being deleted', () => {
  expect(holds(cordoned)).toBe(true)
  expect(holds(cordoned.notReady())).toBe(false)
  expect(holds(cordoned.noting('Failed'))).toBe(false)
  expect(holds(cordoned.reporting('Failed'))).toBe(false)
  expect(holds(cordoned.beingDeleted())).toBe(false)
})

test('the claim holds when a node that is not Ready is held, its drain is given up, or its mark alone goes', () => {
  const mark: CordonMark = { digest: 'new', at: noon, state: 'Skipped' }

  expect(holds(cordoned.notReady().held())).toBe(true)
  expect(holds(cordoned.notReady(), { ...uncordon, mark })).toBe(true)
  expect(holds(cordoned.notReady(), { ...uncordon, lifts: false })).toBe(true)
  expect(holds(cordoned.noting('Failed').held())).toBe(false)
})

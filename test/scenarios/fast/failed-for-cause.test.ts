import { expect, test } from 'vitest'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import { hour, minute, noon } from '../../rollout/builders/instants.ts'
import { aNode, type NodeDraft } from '../../rollout/builders/nodes.ts'
import { aPool } from '../../rollout/builders/pools.ts'
import { failedForCause } from './invariants/failed-for-cause.ts'

/** Whether the claim holds when the status says that the node failed for this reason. */
function holds(reason: string, node: NodeDraft): boolean | undefined {
  const pool = aPool({ stable: 'older', since: noon - hour, applyTimeout: 10 * minute, agentTimeout: 3 * minute }).with(node)
  const fleet = { pools: [pool], policy: {}, controls: {} }
  const decisions = [...decideFleet(fleet, noon)].map(([name, decision]) => {
    const failed = [{ node: 'a', reason, message: reason }]
    return [name, { ...decision, status: { ...decision.status, failed } }] as const
  })
  return failedForCause.ofDecision?.({ fleet, at: noon, decisions: new Map(decisions), isNews: true, held: new Set() })
}

const given = (minutes: number) => aNode('a').assignedTo('new', { at: noon - minutes * minute })

test.each<[reason: string, isSo: NodeDraft, isNot: NodeDraft]>([
  ['AgentSilent', given(3), given(2)],
  ['AgentSilent', given(3), given(3).reporting('Applying')],
  ['ApplyTimeout', given(10).reporting('Applying'), given(9).reporting('Applying')],
  ['ApplyTimeout', given(10).reporting('Applying'), given(10).reporting('Applied')],
  [
    'NotReady',
    given(5)
      .reporting('Applied')
      .notReady(noon - minute),
    given(5)
      .reporting('Applied')
      .notReady(noon - 1000),
  ],
  [
    'NotReady',
    given(5)
      .reporting('Failed')
      .notReady(noon - 1000),
    given(5).reporting('Failed'),
  ],
  ['NotRestored', given(5).reporting('Failed'), given(5).reporting('Applying')],
])('the claim of causes falls when a node is said to have failed by %s, and has not', (reason, isSo, isNot) => {
  expect([holds(reason, isSo), holds(reason, isNot)]).toEqual([true, false])
})

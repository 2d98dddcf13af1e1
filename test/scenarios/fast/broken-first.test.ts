import { expect, test } from 'vitest'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { hour, minute, noon } from '../../rollout/builders/instants.ts'
import { aNode, type NodeDraft } from '../../rollout/builders/nodes.ts'
import { aPool, type PoolOptions } from '../../rollout/builders/pools.ts'
import { aRollout } from '../../rollout/builders/revisions.ts'
import { brokenFirst } from './invariants/broken-first.ts'

const broken = aNode('a')
  .on('superseded', { at: noon - 20 * minute })
  .notReady()

/** Whether the claim holds when a sound node beside this one is assigned the target, and nothing else is done. */
function holdsBeside(node: NodeDraft, options: PoolOptions = {}, more: Partial<PoolSnapshot> = {}): boolean | undefined {
  const pool = { ...aPool({ stable: 'older', ...options }).with(node, aNode('b').on('older')), ...more }
  const fleet = { pools: [pool], policy: {}, controls: {} }
  const decisions = [...decideFleet(fleet, noon)].map(([name, decision]) => {
    const actions = decision.actions.filter((action) => action.kind === 'assign' && action.node === 'b')
    expect(actions).toHaveLength(1)
    return [name, { ...decision, actions }] as const
  })
  return brokenFirst.ofDecision?.({ fleet, at: noon, decisions: new Map(decisions), isNews: true, held: new Set() })
}

test('the claim falls when a sound node is disturbed while a broken one waits', () => {
  expect(holdsBeside(broken)).toBe(false)
})

test('the claim holds beside a broken node when somebody has deleted the revision of the stable content', () => {
  expect(holdsBeside(broken, {}, { known: new Map() })).toBe(true)
})

test('the claim holds beside a broken node that people keep, or that is being deleted: nothing is meant for it', () => {
  expect(holdsBeside(broken.held())).toBe(true)
  expect(holdsBeside(broken.byHand())).toBe(true)
  expect(holdsBeside(broken.beingDeleted())).toBe(true)
})

test('the claim holds beside a node that is not Ready for less than a minute, and falls when its agent could not restore it', () => {
  const failed = aNode('a')
    .assignedTo('superseded', { at: noon - 20 * minute })
    .reporting('Failed')

  expect(holdsBeside(broken.notReady(noon - minute + 1))).toBe(true)
  expect(holdsBeside(failed.notReady(noon - minute + 1))).toBe(false)
})

test('the claim holds beside a node whose content has completed, unless that failed on it', () => {
  const history = [
    aRollout('new', { startedAt: noon - 2 * minute }),
    aRollout('older', { result: 'Completed' }),
    aRollout('superseded', { result: 'Completed', startedAt: noon - 2 * hour }),
  ]
  const failed = aNode('a').rolledBackFrom('superseded', { at: noon - 20 * minute })

  expect(holdsBeside(broken.cordoned(), { history })).toBe(true)
  expect(holdsBeside(failed.notReady().cordoned(), { history })).toBe(false)
})

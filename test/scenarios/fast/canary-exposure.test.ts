import { expect, test } from 'vitest'
import { NO_MEMORY, type PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { hour, minute, noon } from '../../rollout/builders/instants.ts'
import { aNode, aYoungNode, type NodeDraft } from '../../rollout/builders/nodes.ts'
import { aWave } from '../../rollout/builders/policies.ts'
import { aPool } from '../../rollout/builders/pools.ts'
import { aRef } from '../../rollout/builders/revisions.ts'
import { holdsWhere, named } from './asks-of-fleet.ts'
import { canaryExposure } from './invariants/canary-exposure.ts'

const waves = [aWave('canary', 1), aWave('rest', '100%')]
const older = ['b', 'c'].map((name) => aNode(name).on('older'))

/** Whether the claim holds when the pool gives its first nodes the target. */
function holds(pool: PoolSnapshot, nodes = 1): boolean | undefined {
  return holdsWhere(canaryExposure, [named('workers', pool, nodes)])
}

/** Its nodes are young, and it has lost its history. */
function withoutHistory(stable: string): PoolSnapshot {
  const pool = aPool({ waves: [{ ...aWave('canary', 1), manual: true }], stable }).with(aYoungNode('a'))
  return { ...pool, memory: { ...NO_MEMORY, stable: aRef(stable), target: aRef('new') } }
}

test('the claim falls when more nodes get the target than the canary has', () => {
  const pool = aPool({ stable: 'older', since: noon - hour, waves }).with(aNode('a').on('older'), ...older)

  expect([holds(pool), holds(pool, 2)]).toEqual([true, false])
})

test('the claim falls when another node that is down gets the target, unless the first has been Ready with it', () => {
  const given = aNode('z')
    .on('older')
    .assignedTo('new', { at: noon - 20 * minute })
    .assignedWhileDown()
  const holdsBeside = (first: NodeDraft) =>
    holds(
      aPool({ stable: 'older', since: noon - hour, waves }).with(
        aNode('a')
          .on('older')
          .notReady(noon - hour),
        first,
        ...older,
      ),
    )

  expect(holdsBeside(given.notReady(noon - 30 * minute))).toBe(false)
  expect(holdsBeside(given.notReady(noon - minute))).toBe(true)
})

test('the claim falls when a node that joins gets the target before its wave, unless the status calls it stable', () => {
  expect(holds(withoutHistory('older'))).toBe(false)
  expect(holds(withoutHistory('new'))).toBe(true)
})

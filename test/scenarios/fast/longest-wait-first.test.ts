import { expect, test } from 'vitest'
import type { FleetPolicy } from '../../../src/rollout/decide-fleet.ts'
import { hour, minute, noon } from '../../rollout/builders/instants.ts'
import { aNode, type NodeDraft } from '../../rollout/builders/nodes.ts'
import { aPool } from '../../rollout/builders/pools.ts'
import { aRollout } from '../../rollout/builders/revisions.ts'
import { holdsWhere, named } from './asks-of-fleet.ts'
import { longestWaitFirst } from './invariants/longest-wait-first.ts'

const older = ['a', 'b', 'c'].map((name) => aNode(name).on('older'))
/** Served ten minutes ago, and a minute ago. */
const before = [...older, aNode('d').on('new', { at: noon - 10 * minute })]
const since = [...older, aNode('d').on('new', { at: noon - minute })]

/** Whether the claim holds when a pool of the first nodes waits, and one of the others selects a node. */
function holds(waiting: readonly NodeDraft[], served: readonly NodeDraft[], policy?: FleetPolicy): boolean | undefined {
  const forward = aPool({ stable: 'older', since: noon - hour, maxUnavailable: 3 })
  return holdsWhere(
    longestWaitFirst,
    [named('gpu', forward.with(...waiting)), named('workers', forward.with(...served), 1)],
    policy,
  )
}

test('the claim falls when a pool gets a place while another one waits that was served longer ago', () => {
  expect(holds(before, since)).toBe(false)
  expect(holds(since, before)).toBe(true)
  expect(holds(before, since, {})).toBe(true)
})

test('the claim falls when a pool gets a place while another one waits that was served before its rollout', () => {
  expect(holds(older, since)).toBe(false)
  expect(holds(older, older)).toBe(true)
})

test('a pool that left the newest commit after its failure takes no turns with one that goes no way', () => {
  const arrived = { head: 'new', stable: 'older', history: [aRollout('older', { result: 'Completed' })], maxUnavailable: 3 }
  const atOlder = aPool({ ...arrived, head: 'older' }).with(...before)
  const leftIt = aPool({ ...arrived, rejected: ['new'] })

  expect(holdsWhere(longestWaitFirst, [named('gpu', atOlder), named('workers', leftIt.with(...since), 1)])).toBe(true)
  expect(holdsWhere(longestWaitFirst, [named('gpu', leftIt.with(...before)), named('workers', leftIt.with(...since), 1)])).toBe(
    false,
  )
})

test('nodes that joined since the rollout began do not count as served, and a drain that was given up says nothing', () => {
  const joined = aNode('d').createdAtInstant(noon - 2 * minute)
  const givenUp = aNode('d')
    .on('older')
    .drainedFor('new', { at: noon - 10 * minute, state: 'Skipped' })

  expect(holds([...older, joined.on('new', { at: noon - minute })], before)).toBe(false)
  expect(holds([...older, givenUp], since)).toBe(true)
})

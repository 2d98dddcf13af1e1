import { expect, test } from 'vitest'
import { minute, noon } from '../../rollout/builders/instants.ts'
import { aNode, type NodeDraft } from '../../rollout/builders/nodes.ts'
import { aPod } from '../../rollout/builders/pods.ts'
import { aPool, type PoolOptions } from '../../rollout/builders/pools.ts'
import { holdsWhere, named } from './asks-of-fleet.ts'
import { asksFirst } from './invariants/asks-first.ts'

const forward = aPool({ stable: 'older', since: noon - 20 * minute, maxUnavailable: 3 })
const older = ['b', 'c'].map((name) => aNode(name).on('older'))
const asking = aNode('a').on('older').assignedTo('new').reporting('Blocked', { needs: 'drain' })

/** Whether the claim holds when a pool of this node and others waits, and another pool selects its first node. */
function holdsBeside(node: NodeDraft, served: readonly NodeDraft[] = older): boolean | undefined {
  return holdsWhere(asksFirst, [named('gpu', forward.with(node, ...older)), named('workers', forward.with(...served), 1)])
}

test('the claim falls when a node gets a place while an agent of another pool that asks for more waits', () => {
  expect(holdsBeside(asking)).toBe(false)
  expect(holdsBeside(aNode('a').on('older'))).toBe(true)
  expect(holdsBeside(asking, [asking, ...older])).toBe(true)
})

test('an agent that asks may wait where its node is held, or was given up in its drain, or asks for what is no target now', () => {
  expect(holdsBeside(asking.held())).toBe(true)
  expect(holdsBeside(asking.drainedFor('new', { state: 'Skipped' }))).toBe(true)
  expect(holdsBeside(aNode('a').assignedTo('superseded').reporting('Blocked', { needs: 'drain' }))).toBe(true)
})

test('an agent whose node was down until its time was over may wait, one whose node was back before may not', () => {
  const given = aNode('a')
    .on('older')
    .assignedTo('new', { at: noon - 16 * minute })
  const wasDown = given.assignedWhileDown().reporting('Blocked', { needs: 'drain' })

  expect(holdsBeside(wasDown.readyAgain(noon - minute))).toBe(true)
  expect(holdsBeside(wasDown.readyAgain(noon - 2 * minute))).toBe(false)
})

test('an agent may wait that asks since an earlier rollout for longer than its work may take', () => {
  const given = (minutes: number): NodeDraft =>
    aNode('a')
      .on('older')
      .assignedTo('new', { at: noon - minutes * minute })
      .reporting('Blocked', { needs: 'drain' })

  expect(holdsBeside(given(21))).toBe(true)
  expect(holdsBeside(given(19))).toBe(false)
})

/** Whether the claim holds when a pool waits for a budget that has this node, with these pods. */
function holdsOf(node: NodeDraft, pods: PoolOptions['pods'] = { a: [] }): boolean | undefined {
  const pool = aPool({ stable: 'older', since: noon - minute, ...(pods && { pods }) })
  return holdsWhere(asksFirst, [named('gpu', pool.with(node, ...older))])
}

test('the claim falls when a node that is drained already waits for a budget', () => {
  const drained = aNode('a').on('older').drainedFor('new')

  expect(holdsOf(drained)).toBe(false)
  expect(holdsOf(drained, { a: [aPod('x')] })).toBe(true)
  expect(holdsOf(drained, {})).toBe(true)
  expect(holdsOf(drained.held())).toBe(true)
  expect(holdsOf(aNode('a').on('older').drainedFor('superseded'))).toBe(true)
})

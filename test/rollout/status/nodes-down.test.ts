import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { condition, verdict } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, type NodeDraft } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'

const history = [
  aRollout('new', { result: 'Completed', startedAt: noon - 2 * hour }),
  aRollout('old', { result: 'Completed', startedAt: noon - 9 * hour }),
]
const completed = { head: 'new', stable: 'new', history } as const
const changed = (name: string) => aNode(name).on('new', { at: noon - 90 * minute })

test('a pool whose nodes went down after its newest commit completed is not Ready, names them, and says how to go back', () => {
  const decision = decide(aPool(completed).with(changed('a').notReady(noon - 30 * minute), changed('b')), noon)

  expect(verdict(decision)).toEqual({ Ready: 'False NodesDown', Reconciling: 'False NodesDown', Stalled: 'True NodesDown' })
  expect(condition(decision, 'Ready').message).toBe(
    '"a" went down after new was applied there; if the commit is to blame: ' +
      'nodewave rollback workers --to old (or kubectl annotate --overwrite nwp/workers nodewave.io/rollback=old)',
  )
})

const wave = { index: 2, count: 2, name: 'rest', opened: ['canary', 'rest'] }
const underway = {
  head: 'new',
  stable: 'old',
  since: noon - 2 * hour,
  waves: [aWave('canary', 1)],
  wave,
  maxUnavailable: 1,
} as const

test('a pool whose nodes went down after their soak, with others to come, is stalled, names them, and says how to go back', () => {
  const decision = decide(aPool(underway).with(changed('a').notReady(noon - 30 * minute), aNode('b').on('old')), noon)

  expect(verdict(decision)).toEqual({ Ready: 'False NodesDown', Reconciling: 'True WaitingForBudget', Stalled: 'True NodesDown' })
  expect(condition(decision, 'Stalled').message).toBe(
    '"a" went down after new was applied there; if the commit is to blame: ' +
      'nodewave rollback workers --to old (or kubectl annotate --overwrite nwp/workers nodewave.io/rollback=old)',
  )
})

test('a pool is not stalled for a node that went down after its soak a moment ago, or that it tolerates', () => {
  const stalled = (since: number, maxFailures = 0) =>
    verdict(decide(aPool({ ...underway, maxFailures }).with(changed('a').notReady(since), aNode('b').on('old')), noon)).Stalled

  expect(stalled(noon - 5 * minute)).toBe('False WaitingForBudget')
  expect(stalled(noon - 30 * minute, 1)).toBe('False WaitingForBudget')
})

test('a pool stays Ready when a node was down before, blinks, or went down before this rollout changed it', () => {
  const before = aNode('a')
    .notReady(noon - 3 * hour)
    .assignedTo('new', { at: noon - 90 * minute })
  const blinks = changed('b').notReady(noon - minute)
  const unchanged = aNode('c')
    .on('new', { at: noon - 5 * hour })
    .notReady(noon - 30 * minute)

  expect(verdict(decide(aPool(completed).with(before, blinks, unchanged, changed('d')), noon)).Ready).toBe('True Completed')
})

test('a pool stays Ready as long as no more nodes went down than it tolerates failures', () => {
  const down = changed('a').notReady(noon - 30 * minute)

  expect(verdict(decide(aPool({ ...completed, maxFailures: 1 }).with(down, changed('b')), noon)).Ready).toBe('True Completed')
})

test('a pool whose nodes went silent says that their machines may be off, and how to hold one', () => {
  const down = [changed('a').notReady(noon - 30 * minute), changed('b').goneSilent(noon - 30 * minute)]
  const decision = decide(aPool(completed).with(...down, changed('c')), noon)

  expect(condition(decision, 'Ready').message).toBe(
    '"a", "b" went down after new was applied there; nothing is heard from "b": if somebody stopped the machine, ' +
      'nodewave hold b --reason WHY (or kubectl annotate node b nodewave.io/hold=WHY); if the commit is to blame: ' +
      'nodewave rollback workers --to old (or kubectl annotate --overwrite nwp/workers nodewave.io/rollback=old)',
  )
})

test('a pool blames no commit for a machine that somebody shut down, or for a node that is held', () => {
  const off = changed('a').poweredOff(noon - 30 * minute)
  const held = changed('b')
    .goneSilent(noon - 30 * minute)
    .held()

  expect(verdict(decide(aPool(completed).with(off, held, changed('c')), noon)).Ready).toBe('True Completed')
})

const down = changed('a').notReady(noon - 30 * minute)
const readyOf = (node: NodeDraft) => verdict(decide(aPool(completed).with(node, changed('z')), noon)).Ready

test.each<readonly [what: string, node: NodeDraft]>([
  ['is Ready', changed('a')],
  ['was shut down', changed('a').poweredOff(noon - 30 * minute)],
  ['is held', down.held()],
  ['is being deleted', down.beingDeleted()],
  [
    'was assigned at a time that nobody knows',
    Object.assign(down.uncordoned(), { assigned: { ...down.assigned, at: undefined } }),
  ],
  ['was not Ready before it was assigned', changed('a').notReady(noon - 90 * minute)],
  ['went down less than the time that its work may take ago', changed('a').notReady(noon - 15 * minute + 1)],
  [
    'was changed by the rollout before',
    aNode('a')
      .on('new', { at: noon - 2 * hour - 1 })
      .notReady(noon - 30 * minute),
  ],
])('a pool stays Ready when a node %s', (_, node) => {
  expect(readyOf(node)).toBe('True Completed')
})

test.each<readonly [what: string, node: NodeDraft]>([
  ['went down half an hour ago', down],
  ['went down as long ago as its work may take', changed('a').notReady(noon - 15 * minute)],
  [
    'was assigned when the rollout began',
    aNode('a')
      .on('new', { at: noon - 2 * hour })
      .notReady(noon - 30 * minute),
  ],
])('a pool is not Ready when a node %s', (_, node) => {
  expect(readyOf(node)).toBe('False NodesDown')
})

test('a pool is Ready when as many nodes went down as it tolerates failures, and not when one more did', () => {
  const pool = aPool({ ...completed, maxFailures: 1 })

  expect(verdict(decide(pool.with(down, changed('b')), noon)).Ready).toBe('True Completed')
  expect(verdict(decide(pool.with(down, changed('b').notReady(noon - 30 * minute), changed('c')), noon)).Ready).toBe(
    'False NodesDown',
  )
})

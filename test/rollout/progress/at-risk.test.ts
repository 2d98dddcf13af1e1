import { expect, test } from 'vitest'
import type { Member, PoolState } from '../../../src/rollout/model/pool-state.ts'
import { lossCountsFrom } from '../../../src/rollout/progress/losses.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aMember } from '../builders/members.ts'
import { aNode, type NodeDraft } from '../builders/nodes.ts'

const SINCE = noon - 10_000
const clock = { now: noon, rolloutStart: noon - hour, applyTimeout: 15 * minute }
const state = { rollout: { state: 'InProgress' }, now: noon, clock } as Pick<PoolState, 'rollout' | 'now' | 'clock'>
const ASSIGN = { kind: 'assign', node: 'a', revision: 'new', digest: 'new', grant: 'restart', at: noon - minute } as const
const working = aNode('a')
  .on('older')
  .assignedTo('new', { at: noon - minute })
  .notReady(SINCE)
const assigned = { assigned: true, progress: { phase: 'Assigned', pending: true } } as const
const unreachable = { assigned: true, progress: { phase: 'Unreachable', pending: true } } as const
const applied = (lastKnownGood?: string) =>
  aNode('a')
    .assignedTo('new', { at: noon - minute })
    .reporting('Applied', lastKnownGood === undefined ? {} : { lastKnownGood })
    .notReady(SINCE)

test.each<readonly [what: string, node: NodeDraft, more: Partial<Member>]>([
  ['went down at its work', working, assigned],
  ['went down almost a second ago', working.notReady(noon - 999), assigned],
  [
    'rolled back, and is down',
    aNode('a')
      .rolledBackFrom('new', { at: noon - minute })
      .notReady(SINCE),
    unreachable,
  ],
  ['has the content, which its agent has not found good', applied('older'), unreachable],
])('a node that %s counts when it has been down for a minute', (_, node, more) => {
  expect(lossCountsFrom(aMember(node, more), state)).toBe(node.readySince + minute)
})

test.each<readonly [what: string, node: NodeDraft, more: Partial<Member>]>([
  ['is Ready', working.readyAgain(SINCE), assigned],
  ['was shut down', working.poweredOff(SINCE), assigned],
  ['is to be assigned something else', working, { ...assigned, assigned: false }],
  ['is waited for by nobody', working, { ...assigned, progress: { phase: 'Unreachable', pending: false } }],
  ['was assigned before this rollout', working.assignedTo('new', { at: noon - hour - 1 }), assigned],
  ['has been down for a minute: it counts already', working.notReady(noon - minute), assigned],
  ['has not begun, and is down', working, unreachable],
  ['did not serve before', working.assignedBy({ ...ASSIGN, nodeWas: 'Unsound' }).notReady(SINCE), assigned],
  ['has the content, which its agent found good', applied('new'), unreachable],
  ['has the content of an agent that says nothing of it', applied(), unreachable],
])('a node never begins to count that %s', (_, node, more) => {
  expect(lossCountsFrom(aMember(node, more), state)).toBeUndefined()
})

test('no node begins to count in a rollout that is over', () => {
  const over = { ...state, rollout: { ...state.rollout, state: 'Completed' } } as typeof state

  expect(lossCountsFrom(aMember(working, assigned), over)).toBeUndefined()
})

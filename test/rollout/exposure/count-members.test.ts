import { expect, test } from 'vitest'
import { countMembers, isOfWave } from '../../../src/rollout/exposure/wave-progress.ts'
import type { NodeProgress } from '../../../src/rollout/model/node-progress.ts'
import type { Member } from '../../../src/rollout/model/pool-state.ts'
import { aMember, NO_WAVES } from '../builders/members.ts'
import { aNode } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'

const waiting: NodeProgress = { phase: 'Waiting', pending: true }
const current: NodeProgress = { phase: 'Current', pending: false }
const failed: NodeProgress = { phase: 'Failed', pending: false }
const silent: NodeProgress = { ...failed, isEvidence: false }
const unreachable: NodeProgress = { phase: 'Unreachable', pending: true }

const inWave = (wave: number | undefined, progress: NodeProgress, changes = true): Member =>
  aMember(aNode('a'), { wave, progress, changes })

test.each<readonly [what: string, members: readonly Member[], counts: object]>([
  ['no node', [], {}],
  ['a node of no wave', [inWave(undefined, current)], {}],
  ['a node of the open wave that waits', [inWave(1, waiting)], { pending: 1, total: 1, newest: { total: 1, heard: 0 } }],
  [
    'a node of the open wave that is done',
    [inWave(1, current)],
    { current: 1, total: 1, newest: { total: 1, heard: 1 }, changed: { current: 1, heard: 1, beyond: 0 } },
  ],
  [
    'a node of the open wave that failed',
    [inWave(1, failed)],
    { total: 1, newest: { total: 1, heard: 1 }, changed: { current: 0, heard: 1, beyond: 0 } },
  ],
  ['a node of the open wave whose failure says nothing', [inWave(1, silent)], { total: 1, newest: { total: 1, heard: 0 } }],
  [
    'a node of the open wave that does not change',
    [inWave(1, current, false)],
    { current: 1, total: 1, newest: { total: 1, heard: 1 } },
  ],
  ['a node of an earlier wave that waits', [inWave(0, waiting)], { pending: 1, total: 1 }],
  [
    'a node of an earlier wave that is done',
    [inWave(0, current)],
    { current: 1, total: 1, changed: { current: 1, heard: 0, beyond: 0 } },
  ],
  ['a node of an earlier wave that failed', [inWave(0, failed)], { total: 1 }],
  ['a node of a later wave', [inWave(2, waiting)], { beyond: 1, changed: { current: 0, heard: 0, beyond: 1 } }],
  ['a node of a later wave that has it already', [inWave(2, current, false)], { beyond: 1 }],
])('of %s, the waves count when the second one is open', (_, members, counts) => {
  expect(countMembers(members, 1).waves).toEqual({ ...NO_WAVES, ...counts })
})

test('members are counted by phase; those that are out of reach are pending and not ongoing', () => {
  const { byPhase, pending, ongoing } = countMembers([inWave(0, waiting), inWave(0, unreachable), inWave(0, current)], 0)

  expect([...byPhase]).toEqual([
    ['Waiting', 1],
    ['Unreachable', 1],
    ['Current', 1],
  ])
  expect({ pending, ongoing }).toEqual({ pending: 2, ongoing: 1 })
})

const rack = aWave('canary', { rack: '1' })
const labelled = aNode('a').labelled({ rack: '1' })

test.each<readonly [what: string, isOfIt: boolean, member: Member]>([
  ['of the open wave', true, aMember(aNode('a'), { wave: 1 })],
  ['of another wave', false, aMember(labelled, { wave: 0 })],
  ['of no wave that waits', false, aMember(labelled, { wave: undefined })],
  ['of no wave that is held', true, aMember(labelled, { wave: undefined, progress: { phase: 'Held', pending: false } })],
  [
    'of no wave that is assigned by hand',
    true,
    aMember(labelled, { wave: undefined, progress: { phase: 'Unmanaged', pending: false } }),
  ],
  [
    'of no wave that is being deleted',
    true,
    aMember(labelled, { wave: undefined, progress: { phase: 'Leaving', pending: false } }),
  ],
  [
    'with other labels that is held',
    false,
    aMember(aNode('a'), { wave: undefined, progress: { phase: 'Held', pending: false } }),
  ],
])('a node %s belongs to the open wave: %s', (_, expected, member) => {
  expect(isOfWave(member, { wave: rack, open: 1 })).toBe(expected)
})

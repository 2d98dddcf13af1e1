import { expect, test } from 'vitest'
import {
  alreadyRuns,
  asksForMore,
  isApplied,
  isAtWork,
  isFailure,
  isInFlight,
  isOvertaken,
  isReplayed,
  reportOf,
} from '../../../src/rollout/model/agent-report.ts'
import { noon } from '../builders/instants.ts'
import { aNode, type NodeDraft } from '../builders/nodes.ts'

const assigned = aNode('a').assignedTo('new')
const toMerge = { reason: 'ChangedByOthers', message: 'a file differs' }
const replayed = { reason: 'AssignmentReplayed', message: 'older than another' }
const broken = { reason: 'TrialFailed', message: 'the kubelet fails' }

const NODES = {
  unassigned: aNode('a'),
  silent: assigned,
  fetching: assigned.reporting('Fetching'),
  applying: assigned.reporting('Applying'),
  applied: assigned.reporting('Applied'),
  rolledBack: assigned.reporting('RolledBack', { error: broken }),
  failed: assigned.reporting('Failed', { error: broken }),
  replayed: assigned.reporting('RolledBack', { error: replayed }),
  asksForDrain: assigned.reporting('Blocked', { needs: 'drain' }),
  asksForWhatItHas: assigned.reporting('Blocked', { needs: 'restart' }),
  asksForLess: assigned.reporting('Blocked', { needs: 'none' }),
  asksForNothing: assigned.reporting('Blocked'),
  asksWhileApplying: assigned.reporting('Applying', { needs: 'drain' }),
  toMerge: assigned.reporting('Blocked', { needs: 'restart', error: toMerge }),
  failedToMerge: assigned.reporting('RolledBack', { error: toMerge }),
  failedAsReplayed: assigned.reporting('Failed', { error: replayed }),
} satisfies Record<string, NodeDraft>

type Case = keyof typeof NODES
const CASES = Object.keys(NODES) as Case[]
const those = (holds: (node: NodeDraft) => boolean): readonly Case[] => CASES.filter((name) => holds(NODES[name]))

test('an agent has applied what its node was assigned when it says so, or when it only waits to merge', () => {
  expect(those((node) => isApplied(reportOf(node)))).toEqual(['applied', 'toMerge'])
})

test('an agent has failed when it rolled back or could not', () => {
  expect(those((node) => isFailure(reportOf(node)))).toEqual([
    'rolledBack',
    'failed',
    'replayed',
    'failedToMerge',
    'failedAsReplayed',
  ])
})

test('an assignment was replayed when the agent rolled back for that reason', () => {
  expect(those((node) => isReplayed(reportOf(node)))).toEqual(['replayed'])
})

test.each<readonly [what: string, expected: boolean, counters: { readonly assigned?: number; readonly accepted?: number }]>([
  ['names one that it had accepted before', true, { assigned: 7, accepted: 9 }],
  ['names an older one than it was assigned', false, { assigned: 7, accepted: 6 }],
  ['names none', false, { assigned: 7 }],
  ['was assigned something without one', false, { accepted: 9 }],
])('an assignment is overtaken when its agent refuses it as older and counters say so: one that %s', (_, expected, counters) => {
  const { assigned: counter, accepted } = counters
  const node = aNode('a').assignedTo('new', counter === undefined ? {} : { counter })
  const refusal = { error: replayed, ...(accepted !== undefined && { counter: accepted }) }
  const { assigned, status } = node.reporting('RolledBack', refusal)

  expect(assigned && status && isOvertaken(assigned, status, noon)).toBe(expected)
})

test('an assignment is not overtaken when its agent has applied it, whatever it had accepted before', () => {
  const { assigned, status } = aNode('a').assignedTo('new', { counter: 7 }).reporting('Applied', { counter: 9 })

  expect(assigned && status && isOvertaken(assigned, status, noon)).toBe(false)
})

test('a node is in flight until its agent ends the work', () => {
  expect(those((node) => isInFlight(node, reportOf(node)))).toEqual([
    'silent',
    'fetching',
    'applying',
    'asksForDrain',
    'asksForWhatItHas',
    'asksForLess',
    'asksForNothing',
    'asksWhileApplying',
  ])
})

test('an agent asks for more when it is blocked and needs more than its node was granted, or is to merge', () => {
  expect(those((node) => asksForMore(node, reportOf(node)))).toEqual(['asksForDrain', 'toMerge'])
})

test('an agent of a node that is assigned nothing any more asks for nothing', () => {
  const { status } = NODES.asksForDrain

  expect(asksForMore(aNode('a'), status)).toBe(false)
})

test('a node is at work in flight unless its agent asks for more', () => {
  expect(those((node) => isAtWork(node, reportOf(node)))).toEqual([
    'silent',
    'fetching',
    'applying',
    'asksForWhatItHas',
    'asksForLess',
    'asksForNothing',
    'asksWhileApplying',
  ])
})

test('a host runs a content when its agent has ended the work with that content active, and is not to merge', () => {
  const rolledBack = assigned.reporting('RolledBack', { active: 'older', error: broken })
  const failed = assigned.reporting('Failed', { active: 'older', error: broken })
  const applying = assigned.reporting('Applying', { active: 'older' })
  const merging = assigned.reporting('Blocked', { active: 'new', needs: 'restart', error: toMerge })
  const runs = (node: NodeDraft, digest: string): boolean => alreadyRuns(digest, reportOf(node))

  expect(runs(NODES.applied, 'new')).toBe(true)
  expect(runs(NODES.applied, 'older')).toBe(false)
  expect(runs(rolledBack, 'older')).toBe(true)
  expect(runs(rolledBack, 'new')).toBe(false)
  expect(runs(failed, 'older')).toBe(true)
  expect(runs(applying, 'older')).toBe(false)
  expect(runs(merging, 'new')).toBe(false)
  expect(alreadyRuns('new', undefined)).toBe(false)
})

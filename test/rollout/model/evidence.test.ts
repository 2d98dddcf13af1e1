import { expect, test } from 'vitest'
import { reportOf } from '../../../src/rollout/model/agent-report.ts'
import { hasHadItsChance, isEvidence } from '../../../src/rollout/model/evidence.ts'
import { proofRecord } from '../../../src/rollout/model/proof.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, type NodeDraft } from '../builders/nodes.ts'

const ASSIGN = { kind: 'assign', node: 'a', revision: 'new', digest: 'new', grant: 'restart', at: noon } as const
const unsound = (node: NodeDraft) => node.assignedBy({ ...ASSIGN, nodeWas: 'Unsound' })
const clock = { now: noon, rolloutStart: noon - hour, applyTimeout: 15 * minute }
const assigned = (at: number) => aNode('a').on('older').assignedTo('new', { at })
const stuck = aNode('a')
  .assignedTo('older', { at: noon - hour })
  .reporting('Applying')
const silent = aNode('a')
  .on('older')
  .assignedBy({ ...ASSIGN, nodeWas: 'Silent' })

test.each<readonly [what: string, expected: boolean, node: NodeDraft]>([
  ['was assigned nothing', false, aNode('a')],
  ['was sound when it was assigned', true, assigned(noon - minute)],
  ['was down when it was assigned', false, assigned(noon - minute).notReady(noon - hour)],
  ['went down after it was assigned', true, assigned(noon - minute).notReady(noon)],
  [
    'was sound when it was assigned by a clock that has been put back since, and went down by the new one',
    true,
    assigned(noon + minute)
      .notReady(noon - minute)
      .seemingSound(),
  ],
  [
    'was down when it was assigned by a clock that has been put back since',
    false,
    assigned(noon + minute)
      .assignedWhileDown()
      .notReady(noon - minute),
  ],
  ['was at other work when it was assigned, and says nothing of this one', false, stuck.assignedTo('new', { at: noon - minute })],
  ['was at other work when it was assigned, and reports this one', true, stuck.assignedTo('new').reporting('Applying')],
  [
    'waited for a greater grant for another content when it was assigned, and says nothing of this one',
    true,
    aNode('a')
      .assignedTo('older', { at: noon - hour })
      .reporting('Blocked', { needs: 'drain' })
      .assignedTo('new', { at: noon - minute }),
  ],
  [
    'waited for a grant to be put back when it was assigned, and says nothing of this one',
    false,
    aNode('a')
      .assignedTo('older', { at: noon - hour })
      .reporting('Blocked', { needs: 'drain', error: { reason: 'HealthCheckFailed', message: 'kubelet exited' } })
      .assignedTo('new', { at: noon - minute }),
  ],
  ['had a silent agent when it was assigned, which stays silent', false, silent],
  ['had a silent agent when it was assigned, which reports this one', true, silent.reporting('Applying')],
  ['did not serve when it was assigned, and is at work', false, unsound(aNode('a')).reporting('Applying')],
  ['did not serve when it was assigned, and has failed', false, unsound(aNode('a')).reporting('RolledBack')],
  ['did not serve when it was assigned, and can run no pod', false, unsound(aNode('a')).reporting('Applied').noting('Failed')],
  [
    'did not serve when it was assigned, and has yet to run a pod',
    false,
    unsound(aNode('a')).reporting('Applied').noting('Wanted'),
  ],
  ['did not serve when it was assigned, and is well', true, unsound(aNode('a')).reporting('Applied').noting('Passed')],
  [
    'did not serve when it was assigned, was well, and is down since',
    true,
    unsound(aNode('a')).reporting('Applied').notReady(noon),
  ],
  ['had failed before it was assigned', true, aNode('a').rolledBackFrom('older').assignedTo('new')],
])('a node that %s is evidence for or against its content: %s', (_, expected, node) => {
  expect(isEvidence({ node, report: reportOf(node) }, clock)).toBe(expected)
})

test.each<readonly [what: string, expected: boolean, node: NodeDraft]>([
  ['was assigned nothing', true, aNode('a')],
  ['has worked for less than its time', false, assigned(noon - 15 * minute + 1)],
  ['has worked for its time', true, assigned(noon - 15 * minute)],
  ['has failed before that', true, aNode('a').rolledBackFrom('new', { at: noon - minute })],
  ['has its content before that', false, aNode('a').on('new', { at: noon - minute })],
])('a node that %s has had its chance: %s', (_, expected, node) => {
  expect(hasHadItsChance({ node, report: reportOf(node) }, clock)).toBe(expected)
})

const done = aNode('a').on('new', { at: noon })

test.each<readonly [what: string, isNoted: boolean, node: NodeDraft]>([
  ['of the present assignment', true, done.noting('Wanted')],
  ['of other content', false, done.noting('Wanted', { digest: 'older' })],
  ['of an earlier assignment of the same content', false, done.noting('Wanted', { assignedAt: noon - minute })],
  ['before its agent is done', false, aNode('a').assignedTo('new', { at: noon }).noting('Wanted')],
  ['when its agent rolled back', false, aNode('a').rolledBackFrom('new').noting('Wanted')],
  ['where nothing is noted', false, done],
])('a proof %s counts: %s', (_, isNoted, node) => {
  expect(proofRecord(node, reportOf(node)) !== undefined).toBe(isNoted)
})

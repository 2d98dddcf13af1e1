import { expect, test } from 'vitest'
import { reportOf } from '../../../src/rollout/model/agent-report.ts'
import { isUnavailable } from '../../../src/rollout/model/availability.ts'
import { aNode, NodeDraft } from '../builders/nodes.ts'

const assigned = aNode('a').assignedTo('new')

test.each<readonly [what: string, isUnavailable: boolean, node: NodeDraft]>([
  ['was assigned nothing', false, aNode('a')],
  ['has its content', false, aNode('a').on('new')],
  ['rolled back', false, aNode('a').rolledBackFrom('new')],
  ['waits for a greater grant', false, assigned.reporting('Blocked', { needs: 'drain' })],
  ['was proved', false, aNode('a').on('new').noting('Passed')],
  ['is not Ready', true, aNode('a').notReady()],
  ['is cordoned', true, aNode('a').cordoned()],
  ['is at work', true, assigned],
  ['could not be restored', true, assigned.reporting('Failed')],
  ['is Ready by a heartbeat of the kubelet before', true, new NodeDraft({ ...aNode('a').on('new'), staleReady: true })],
  ['is being proved', true, aNode('a').on('new').noting('Wanted')],
  ['can run no pod', true, aNode('a').on('new').noting('Failed')],
])('a node that %s is unavailable: %s', (_, expected, node) => {
  expect(isUnavailable(node, reportOf(node))).toBe(expected)
})

import { expect, test } from 'vitest'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import type { NodeTarget } from '../../../src/rollout/model/snapshot.ts'
import { assignments } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, type NodeDraft } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'
import { aRevision, aRollout, wantedConfig } from '../builders/revisions.ts'

const history = [aRollout('bad', { result: 'Halted', startedAt: noon - hour })]
const given = aNode('a')
  .on('older')
  .assignedTo('bad', { at: noon - 20 * minute })

/** The pool was halted by a commit before the newest, which waits for another pool: it repairs the node. */
function decided(node: NodeDraft, wanted: NodeTarget = wantedConfig({ digest: 'bad' })) {
  const options = { stable: 'older', rejected: ['bad'], onFailure: 'Halt', history, proof: {}, dependsOn: ['base'] } as const
  const base = { ...aPool({ stable: 'older', controls: { paused: '' } }).with(aNode('c').on('older')), name: 'base' }
  const workers = aPool(options).with(node, aNode('b').on('older'))
  const bad = {
    ...aRevision('bad', [node, aNode('b')]),
    wanted: new Map([
      ['a', wanted],
      ['b', wantedConfig({ digest: 'bad' })],
    ]),
  }
  const pools = [base, { ...workers, known: new Map([...workers.known, ['bad', bad]]) }]
  return decideFleet({ pools, policy: {}, controls: {} }, noon).get('workers') ?? expect.fail()
}

test.each<[string, NodeDraft, reason: string, message: string]>([
  ['has not begun', given, 'AgentSilent', 'the agent has not started the assignment'],
  ['does not end its work', given.reporting('Applying'), 'ApplyTimeout', 'the agent is still at "Applying"'],
  [
    'has ended, and no pod runs',
    given.reporting('Applied').noting('Failed', { message: 'no sandbox' }),
    'PodProofFailed',
    'no sandbox',
  ],
])('a halted pool names what a node that it repairs failed by when its agent %s', (_, node, reason, message) => {
  const decision = decided(node)

  expect(assignments(decision)).toEqual(['a → older'])
  expect(decision.status.failed).toEqual([{ node: 'a', reason, message }])
})

test.each<[string, NodeTarget]>([
  ['other content is wanted of it', wantedConfig({ digest: 'bad for a', version: '1.40.0' })],
  ['nothing can be rendered for it', { kind: 'problem', message: 'no override for profile "b"' }],
])('a halted pool names what a node failed by also when its labels have changed since, and %s', (_, wanted) => {
  const { status } = decided(given.reporting('Applying'), wanted)

  expect(status.failed).toEqual([{ node: 'a', reason: 'ApplyTimeout', message: 'the agent is still at "Applying"' }])
})

test('a halted pool repairs a node that was down when it was assigned, and is back after its time, and does not count it as failed', () => {
  const back = given.assignedWhileDown().readyAgain(noon - 1000)
  const decision = decided(back)

  expect(assignments(decision)).toEqual(['a → older'])
  expect(decision.status.failed).toEqual([])
})

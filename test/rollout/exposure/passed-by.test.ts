import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { assignments } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, type NodeDraft } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'

const older = aRollout('older', { result: 'Completed', startedAt: noon - 5 * hour })
const history = [
  aRollout('new', { result: 'Completed', startedAt: noon - 2 * hour }),
  aRollout('mid', { result: 'Superseded', startedAt: noon - 3 * hour }),
  older,
]

/** The pool has completed `new` without the node, which is not Ready for ten minutes. */
function decided(node: NodeDraft, runs = history): readonly string[] {
  return assignments(decide(aPool({ stable: 'new', history: runs, disruption: 'drain' }).with(node, aNode('b').on('new')), noon))
}

const down = (node: NodeDraft) => node.notReady(noon - 10 * minute)

test('a node with content that has completed is left alone under the cordon of a person when it goes down', () => {
  expect(decided(down(aNode('a').on('older').cordoned()))).toEqual([])
})

test('a node with content that has completed is left alone where a later commit of equal content assigned it', () => {
  const runs = history.map((entry) => (entry === older ? { ...entry, commits: ['equal to older'] } : entry))

  expect(decided(down(aNode('a').on('older', { revision: 'equal to older' }).cordoned()), runs)).toEqual([])
})

test('a node with content that failed is repaired where another version of the program had completed other content of its commit', () => {
  const failed = { ...aRollout('older', { result: 'RolledBack', startedAt: noon - 3 * hour }), fingerprint: 'of other' }
  const [top] = history

  expect(decided(down(aNode('a').on('other', { revision: 'older' })), [...(top ? [top] : []), failed, older])).toEqual([
    'a → new',
  ])
})

test.each([
  ['of a commit that has not completed', aNode('a').on('mid'), history],
  ['that failed on it', aNode('a').rolledBackFrom('older', { at: noon - 4 * hour }), history],
  ['that the pool has fled from', aNode('a').on('older'), [...history.slice(0, 2), { ...older, abandoned: true as const }]],
])('a node with content %s is repaired when it goes down, whoever cordoned it', (_, node, runs) => {
  expect(decided(down(node.cordoned()), runs)).toEqual(['a → new'])
})

test('a node with content that has completed gets the next without a drain once it is down for as long as its work may take', () => {
  const node = aNode('a').on('older')

  expect(decided(node.notReady(noon - 14 * minute))).toEqual([])
  expect(decided(node.notReady(noon - 15 * minute))).toEqual(['a → new'])
})

import { expect, test } from 'vitest'
import { assess } from '../../src/rollout/decide.ts'
import { hour, minute, noon } from './builders/instants.ts'
import { aNode, type NodeDraft } from './builders/nodes.ts'
import { aWave } from './builders/policies.ts'
import { aPool, type PoolOptions } from './builders/pools.ts'

function isNotable(node: NodeDraft, options: PoolOptions = {}): boolean {
  const pool = aPool({ stable: 'older', since: noon - hour, waves: [aWave('canary', 1)], ...options }).with(
    aNode('z').on('older'),
    node,
  )
  return assess(pool, noon).state.notAtRest.some(({ node: { name } }) => name === 'a')
}

test('a pool is working while work goes on on one of its nodes, whatever the others are', () => {
  const broken = aNode('b')
    .on('older')
    .notReady(noon - hour)
  const pool = (...members: readonly NodeDraft[]) => aPool({ stable: 'older', since: noon - hour }).with(...members)

  expect(assess(pool(aNode('a').assignedTo('new', { at: noon - minute }), broken), noon).isWorking).toBe(true)
  expect(assess(pool(aNode('a').on('older'), broken), noon).isWorking).toBe(false)
})

const done = { head: 'new', stable: 'new', waves: [] }

test.each<readonly [what: string, node: NodeDraft, options: PoolOptions]>([
  ['waits for its turn', aNode('a').on('older'), {}],
  ['was assigned nothing', aNode('a'), {}],
  ['has its content', aNode('a').on('new'), done],
  ['has its content, and was proved', aNode('a').on('new').noting('Passed'), done],
])('a node that %s is at rest', (_, node, options) => {
  expect(isNotable(node, options)).toBe(false)
})

test.each<readonly [what: string, node: NodeDraft, options: PoolOptions]>([
  ['is at work', aNode('a').assignedTo('new'), {}],
  ['is at work on older content', aNode('a').assignedTo('older'), {}],
  ['rolled back', aNode('a').rolledBackFrom('older', { at: noon - 2 * hour }), {}],
  ['is not Ready', aNode('a').on('older').notReady(), {}],
  ['is cordoned', aNode('a').on('older').cordoned(), {}],
  ['is held', aNode('a').on('older').held(), {}],
  ['is young', aNode('a').createdAtInstant(noon - minute), {}],
  ['is being proved', aNode('a').on('new').noting('Wanted'), { ...done, proof: {} }],
  ['requires a reboot', aNode('a').on('new').booted('1').requiringReboot('1'), done],
  ['was asked to reboot', aNode('a').on('new').booted('1').toReboot('1'), done],
  ['cannot be rendered', aNode('a').on('older'), { wants: { a: { problem: 'no label' } } }],
])('a node that %s is notAtRest', (_, node, options) => {
  expect(isNotable(node, options)).toBe(true)
})

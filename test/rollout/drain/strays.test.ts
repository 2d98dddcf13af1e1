import { expect, test } from 'vitest'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import { strayCordons, uncordonStrays } from '../../../src/rollout/drain/strays.ts'
import { condition } from '../builders/decisions.ts'
import { hour, noon } from '../builders/instants.ts'
import { aNode, type NodeDraft } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'

const silent = aNode('x')
  .drainedFor('new', { at: noon - 100 * hour })
  .assignedTo('new', { at: noon - 100 * hour })

function told(...strays: NodeDraft[]) {
  const pool = aPool({ head: 'old', stable: 'old' }).with(aNode('a').on('old'))
  const decision = decideFleet({ pools: [pool], strays, policy: {}, controls: {} }, noon).get('workers')
  return decision && condition(decision, 'Ready')
}

test('a cordon of ours on a node that left its pool while its agent is silent is told by that pool, and what helps', () => {
  expect(uncordonStrays([silent])).toEqual([])
  expect(told(silent)).toMatchObject({
    status: 'False',
    reason: 'Uncordoning',
    message:
      '1 of 1 nodes are at old; "x" left the pool in the middle of a change; cordoned until the agent has ended the work, or: kubectl uncordon x',
  })
})

test('a pool says nothing of a node that left it uncordoned, or that is uncordoned now', () => {
  expect(told(silent.uncordoned())).toMatchObject({ status: 'True' })
  expect(told(aNode('x').on('new').drainedFor('new'))).toMatchObject({ status: 'True' })
})

test('the first pool tells of a node whose pool is gone', () => {
  expect([...strayCordons([silent], [{ name: 'b' }, { name: 'a' }])]).toEqual([['a', ['x']]])
  expect([...strayCordons([silent], [{ name: 'workers' }, { name: 'a' }])]).toEqual([['workers', ['x']]])
})

test.each<readonly [what: string, node: NodeDraft, actions: ReturnType<typeof uncordonStrays>]>([
  ['without a mark is left alone', aNode('x').on('new'), []],
  ['that somebody cordoned is left alone', aNode('x').on('new').cordoned(), []],
  ['under our cordon whose work is done is uncordoned', aNode('x').on('new').drainedFor('new'), [lifted(true)]],
  ['under our cordon that was assigned nothing is uncordoned', aNode('x').drainedFor('new'), [lifted(true)]],
  ['under our cordon at work is left alone', silent, []],
  [
    'whose cordon was there before loses the mark alone',
    aNode('x').on('new').drainedFor('new', { state: 'Found' }),
    [lifted(false)],
  ],
  ['that somebody uncordoned loses the mark alone', aNode('x').on('new').drainedFor('new').uncordoned(), [lifted(false)]],
])('a node of no pool %s', (_, node, actions) => {
  expect(uncordonStrays([node])).toEqual(actions)
})

function lifted(lifts: boolean) {
  return { kind: 'uncordon', node: 'x', lifts } as const
}

import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { condition } from '../builders/decisions.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode, nodes } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'

const old = nodes('b', 'c').map((node) => node.inZone('zone-b').on('older'))

test.each([0, '0%'] as const)('a pool says what helps when maxUnavailable is %s', (maxUnavailable) => {
  const decision = decide(aPool({ stable: 'older', maxUnavailable }).with(...old), noon)

  expect(condition(decision, 'Ready').message).toBe(
    '0 of 2 nodes are at new; 2 wait for the budget; maxUnavailable of the pool allows none: raise it',
  )
})

test('a pool does not advise a greater budget when a node of another zone is what it waits for', () => {
  const stuck = aNode('a')
    .on('older')
    .assignedTo('new', { at: noon - 24 * minute })
    .reporting('Failed')
    .drainedFor('new')
  const options = { stable: 'older', since: noon - 25 * minute, maxFailures: 3, zones: 'OneAtATime', maxUnavailable: 2 } as const
  const decision = decide(aPool(options).with(stuck, ...old), noon)

  expect(condition(decision, 'Reconciling').message).toBe(
    '0 of 3 nodes are at new; 1 Failed; 2 wait for the budget; ' +
      'zones: OneAtATime lets no other zone begin before "a" (the agent reports no reason): repair them',
  )
})

test('a pool whose own budget is used up says so, also where zones change one at a time', () => {
  const down = aNode('a').inZone('zone-b').on('older').cordoned()
  const options = { stable: 'older', zones: 'OneAtATime', maxUnavailable: 1 } as const

  expect(condition(decide(aPool(options).with(down, ...old), noon), 'Reconciling').message).toContain(
    '; used up by "a" (cordoned by somebody else; run: kubectl uncordon a): repair them, or raise maxUnavailable of the pool',
  )
})

test.each([
  ['a node that is deleted in the middle of its drain', aNode('a').on('older').drainedFor('new').beingDeleted(), 'being deleted'],
  ['a cordoned node that is deleted', aNode('a').on('older').cordoned().beingDeleted(), 'being deleted'],
  ['a node on which no pod runs', aNode('a').on('older').noting('Failed', { message: 'no CNI' }), 'no pod can run on it'],
])('a pool whose budget %s uses up says why', (_, holder, why) => {
  const waits = { waves: [aWave('canary', { canary: 'yes' })] }
  const canary = aNode('b').labelled({ canary: 'yes' }).on('older')
  const decision = decide(
    aPool({ stable: 'older', maxUnavailable: 1, since: noon - minute, ...waits }).with(holder, canary),
    noon,
  )

  expect(condition(decision, 'Reconciling').message).toContain(`; used up by "a" (${why}): `)
})

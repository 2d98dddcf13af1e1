import { expect, test } from 'vitest'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import { condition } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, nodes } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'

/** The situation of story 3141593847 of kind fast: it ended without a word of what helps. */
test('two pools that wait for each other are told so when the node that went down is still under a cordon of nodewave', () => {
  const wilted = aNode('gpu-6')
    .drainedFor('wilts', { at: noon - 3 * hour })
    .assignedTo('wilts', { at: noon - 3 * hour })
    .reporting('Applied', { since: noon - 3 * hour })
    .notReady(noon - 2 * hour)
  const gpu = {
    ...aPool({
      head: 'fix',
      history: [aRollout('wilts', { startedAt: noon - 3 * hour })],
      dependsOn: ['base'],
      maxFailures: 1,
      drain: 'Always',
    }).with(wilted, ...nodes('gpu-0', 'gpu-1')),
    name: 'gpu',
  }
  const base = { ...aPool({ head: 'fix', stable: 'old', since: noon - minute }).with(aNode('base-0').on('old')), name: 'base' }
  const decisions = decideFleet({ pools: [gpu, base], policy: { maxUnavailable: { count: 1 } }, controls: {} }, noon)
  const told = decisions.get('base')

  expect([...decisions.values()].flatMap(({ actions }) => actions)).toEqual([])
  expect(told && condition(told, 'Reconciling')).toMatchObject({
    reason: 'WaitingForBudget',
    message:
      '0 of 1 nodes are at fix; 1 wait for the budget; the fleet\'s budget is used up by "gpu-6" of "gpu", which waits for this pool: repair them, ' +
      'or raise maxUnavailable of the Fleet',
  })
})

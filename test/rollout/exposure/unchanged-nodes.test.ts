import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import { assignments, condition } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, nodes } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'

const canary = { tier: 'canary' }
const waves = [aWave('canary', canary, { soak: 5 * minute })]
const since = noon - 20 * minute
/** The commit changes nothing of it. */
const same = aNode('same').on('older').labelled(canary)
const other = aNode('other').on('older').labelled(canary)
const rest = nodes('r1', 'r2').map((node) => node.on('older'))

function decided(options: PoolOptions, ...members: readonly NodeView[]) {
  return decide(aPool({ stable: 'older', since, waves, wants: { same: { digest: 'older' } }, ...options }).with(...members), noon)
}

test.each([
  ['is held', other.held(), '"other": held; include it with: nodewave release other'],
  ['is cordoned', other.cordoned(), '"other": cordoned by somebody else; run: kubectl uncordon other'],
  ['was down all the while', other.assignedTo('new', { at: since + minute }).notReady(noon - hour), '"other": not Ready'],
])('a node that the commit does not change passes no wave for one that it changes and that %s', (_, member, cause) => {
  const decision = decided({ applyTimeout: 10 * minute }, same, member, ...rest)

  expect(assignments(decision)).toEqual([])
  expect(decision.status.wave?.name).toBe('canary')
  expect(condition(decision, 'Ready')).toMatchObject({
    reason: 'NoEligibleNode',
    message: expect.stringContaining(`no eligible node for new; ${cause}`),
  })
})

test('a wave passes by the one node that the commit changes', () => {
  const decision = decided({}, same, other.on('new', { at: since + minute }), ...rest)

  expect(assignments(decision).toSorted()).toEqual(['r1 → new', 'r2 → new'])
})

test('a wave of nodes that the commit does not change is passed over', () => {
  expect(assignments(decided({}, same, ...rest)).toSorted()).toEqual(['r1 → new', 'r2 → new'])
})

test('a wave does not wait for a node that is down when no later wave has a node that the commit changes', () => {
  const down = other.assignedTo('new', { at: since + minute }).notReady(noon - hour)
  const wants = { same: { digest: 'older' }, r1: { digest: 'older' }, r2: { digest: 'older' } }
  const decision = decided({ wants, applyTimeout: 10 * minute }, same, down, ...rest)

  expect(decision.status.history[0]?.result).toBe('Completed')
})

test('a commit is rejected when it fails on all nodes that it changes, though maxFailures tolerates as many', () => {
  const wants = { c: { digest: 'older' }, d: { digest: 'older' } }
  const failed = ['a', 'b'].map((name) => aNode(name).rolledBackFrom('new'))
  const kept = nodes('c', 'd').map((node) => node.on('older'))

  expect(decided({ waves: [], maxFailures: 2, wants }, ...failed, ...kept).status.rejected).toMatchObject([{ revision: 'new' }])
  expect(decided({ maxFailures: 2 }, same, other.rolledBackFrom('new'), ...rest).status.rejected).toMatchObject([
    { revision: 'new' },
  ])
  const one = aNode('a').on('new', { at: since + minute })
  expect(decided({ waves: [], maxFailures: 2, wants }, one, ...failed.slice(1), ...kept).status.rejected).toEqual([])
})

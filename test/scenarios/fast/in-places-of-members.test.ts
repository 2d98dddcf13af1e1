import { expect, test } from 'vitest'
import { hour, minute, noon } from '../../rollout/builders/instants.ts'
import { aNode, type NodeDraft } from '../../rollout/builders/nodes.ts'
import { aWave } from '../../rollout/builders/policies.ts'
import { aPool, type PoolOptions } from '../../rollout/builders/pools.ts'
import { type Asks, holdsWhere, named } from './asks-of-fleet.ts'
import { inPlacesOfMembers } from './invariants/in-places-of-members.ts'

const waves = [aWave('canary', 1)]
const wave = { index: 1, count: 2, name: 'canary', opened: ['canary'] }
const older = ['b', 'c', 'd'].map((name) => aNode(name).on('older'))
const inFlight = aNode('a')
  .on('older')
  .assignedTo('superseded', { at: noon - minute })
  .reporting('Applying')
const down = aNode('a')
  .on('older')
  .notReady(noon - hour)

/** Whether the claim holds when a pool gives this node the target. */
function holds(node: NodeDraft, options: PoolOptions & { others?: readonly NodeDraft[]; beside?: readonly Asks[] } = {}) {
  const { others = older, beside = [], ...more } = options
  const pool = aPool({ stable: 'older', since: noon - minute, waves, wave, maxUnavailable: 2, ...more }).with(node, ...others)
  return holdsWhere(inPlacesOfMembers, [named('gpu', pool, 1), ...beside])
}

test('the claim falls when a node in flight or down gets the target while the budget has a free place', () => {
  expect([holds(inFlight), holds(down)]).toEqual([false, false])
  expect([holds(inFlight, { maxUnavailable: 1 }), holds(down, { maxUnavailable: 1 })]).toEqual([true, true])
})

test('the claim holds of a member: one that is sound, or drained already, or where the wave has no other node', () => {
  expect(holds(aNode('a').on('older'))).toBe(true)
  expect(holds(inFlight.drainedFor('superseded'))).toBe(true)
  expect([holds(inFlight, { others: [] }), holds(down, { others: [] })]).toEqual([true, true])
})

test('a node that is down with stable content which failed later is broken, and a member', () => {
  expect(holds(down, { rejected: ['older'] })).toBe(true)
  expect(holds(down, { rejected: ['other'] })).toBe(false)
})

test('the claim falls when a node that is down does not wait for a healthy one of its pool that is at work', () => {
  const others = [...older, aNode('e').on('older').assignedTo('new').reporting('Applying')]

  expect(holds(down, { others })).toBe(false)
  expect(holds(inFlight, { others })).toBe(true)
})

test('a node that is down need not wait for one whose agent has been silent for longer than the pool allows', () => {
  const silentFor = (minutes: number) =>
    holds(down, {
      others: [
        ...older,
        aNode('e')
          .on('older')
          .assignedTo('new', { at: noon - minutes * minute }),
      ],
      since: noon - hour,
      maxUnavailable: 1,
      agentTimeout: 3 * minute,
    })

  expect([silentFor(2), silentFor(3)]).toEqual([false, true])
})

test('the claim falls when a node that is down does not wait for another pool that is about to free a place of the fleet', () => {
  const forward = aPool({ stable: 'older', since: noon - minute, maxUnavailable: 3 })
  const atWork = ['x', 'y', 'z'].map((name) => aNode(name).on('older').assignedTo('new').reporting('Applying'))
  const lost = ['x', 'y', 'z'].map((name) =>
    aNode(name)
      .on('older')
      .notReady(noon - hour),
  )

  expect(holds(down, { beside: [named('workers', forward.with(...atWork))] })).toBe(false)
  expect(holds(down, { beside: [named('workers', forward.with(...lost))] })).toBe(true)
  expect(holds(inFlight, { beside: [named('workers', forward.with(...atWork))] })).toBe(true)
})

import { expect, test } from 'vitest'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { assignments, condition } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, type NodeDraft } from '../builders/nodes.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'

/** A rollout to `bad` left it down; the pool went back to `old`. */
const broken = (name: string) =>
  aNode(name)
    .assignedTo('bad', { at: noon - hour })
    .notReady(noon - hour)
const base = named('base', { stable: 'old', since: noon - minute }, aNode('base-0').on('old'))

function named(name: string, options: PoolOptions, ...members: readonly NodeDraft[]): PoolSnapshot {
  return { ...aPool(options).with(...members), name }
}

function gpuWith(options: PoolOptions, ...members: readonly NodeDraft[]): PoolSnapshot {
  return named('gpu', { head: 'bad', rejected: ['bad'], stable: 'old', ...options }, ...members)
}

function decided(...pools: readonly PoolSnapshot[]) {
  const decisions = decideFleet({ pools, policy: { maxUnavailable: { count: 1 } }, controls: {} }, noon)
  return (name: string) => decisions.get(name) ?? expect.fail(`no decision about "${name}"`)
}

test('a pool that waits for the budget is told that a paused pool would repair the node that uses it up', () => {
  const of = decided(gpuWith({ controls: { paused: 'storm' } }, broken('gpu-0'), aNode('gpu-1').on('old')), base)

  expect(assignments(of('gpu'))).toEqual([])
  expect(condition(of('base'), 'Reconciling')).toMatchObject({
    reason: 'WaitingForBudget',
    message:
      '0 of 1 nodes are at new; 1 wait for the budget; the fleet\'s budget is used up by "gpu-0" of "gpu", which is paused: ' +
      'repair them, or nodewave resume gpu, or raise maxUnavailable of the Fleet',
  })
})

test('a pause is not told as the cause when the pool would not change the node without it', () => {
  const down = aNode('gpu-0')
    .on('old')
    .notReady(noon - hour)
  const of = decided(gpuWith({ head: 'old', controls: { paused: 'storm' } }, down), base)

  expect(condition(of('base'), 'Reconciling').message).toContain(
    '"gpu-0" of "gpu": repair them, or raise maxUnavailable of the Fleet',
  )
})

test('a paused pool that uses up the budget of the fleet keeps no other pool from the repair of a broken node', () => {
  const web = named('web', { head: 'bad', rejected: ['bad'], stable: 'old' }, broken('web-0'), aNode('web-1').on('old'))
  const of = decided(gpuWith({ controls: { paused: 'storm' } }, broken('gpu-0')), web)

  expect(assignments(of('web'))).toEqual(['web-0 → old'])
})

test('a paused pool changes the node that it drained for this commit, and gives its place in the budget of the fleet back', () => {
  const drained = aNode('gpu-0').on('old').drainedFor('new')
  const options = { stable: 'old', since: noon - minute, disruption: 'drain', pods: { 'gpu-0': [] } } as const
  const of = decided(named('gpu', { ...options, controls: { paused: 'storm' } }, drained), base)

  expect(assignments(of('gpu'))).toEqual(['gpu-0 → new'])
  expect(condition(of('base'), 'Reconciling').message).not.toContain('used up')
})

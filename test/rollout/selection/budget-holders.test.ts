import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { condition } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, type NodeDraft, nodes } from '../builders/nodes.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'

const waiting = () => nodes('x', 'y').map((node) => node.on('old'))

function poolOf(node: NodeDraft, options: PoolOptions = {}): PoolSnapshot {
  return aPool({ stable: 'old', since: noon - 2 * hour, maxUnavailable: 1, maxFailures: 3, ...options }).with(node, ...waiting())
}

function told(pool: PoolSnapshot): string {
  const { message } = condition(decide(pool, noon), 'Reconciling')
  return message.slice(message.indexOf('wait for'))
}

const remedy = 'repair them, or raise maxUnavailable of the pool'

test('a pool that waits for its own budget names the node that uses it up, and what helps', () => {
  expect(told(poolOf(aNode('a').on('old').cordoned()))).toBe(
    `wait for the budget; used up by "a" (cordoned by somebody else; run: kubectl uncordon): ${remedy}`,
  )
  expect(told(poolOf(aNode('a').on('new').notReady()))).toBe(`wait for the budget; used up by "a" (not Ready): ${remedy}`)
})

test('a node whose agent is silent is named as the one that uses up the budget', () => {
  const silent = aNode('a')
    .on('old')
    .assignedTo('new', { at: noon - 40 * minute })

  expect(told(poolOf(silent))).toBe(`wait for the budget; used up by "a" (the agent has not started the assignment): ${remedy}`)
})

test('a held node under a cordon of nodewave whose agent is gone is named', () => {
  const held = aNode('a')
    .on('old')
    .drainedFor('new', { at: noon - 100 * minute })
    .assignedTo('new', { at: noon - 99 * minute })
    .held()

  expect(told(poolOf(held, { disruption: 'drain' }))).toBe(
    `wait for the budget; used up by "a" (its agent has not finished in time): ${remedy}`,
  )
})

test('of several nodes the first is named, and how many more there are', () => {
  const pool = aPool({ stable: 'old', maxUnavailable: 2 }).with(
    ...nodes('b', 'a').map((node) => node.on('old').cordoned()),
    ...waiting(),
  )

  expect(told(pool)).toBe(
    `wait for the budget; used up by "a" (cordoned by somebody else; run: kubectl uncordon) and 1 more: ${remedy}`,
  )
})

test('a node at work is not named: it comes back by itself', () => {
  const busy = aNode('a')
    .on('old')
    .assignedTo('new', { at: noon - minute })
  const superseded = poolOf(busy, { head: 'newer', since: noon })

  expect(condition(decide(superseded, noon), 'Reconciling').message).not.toContain('used up')
})

test('a decision asks for a pass when work for content that is not wanted any more becomes overdue', () => {
  const busy = aNode('a')
    .on('old')
    .assignedTo('new', { at: noon - minute })
  const paused = poolOf(busy, { head: 'newer', since: noon, controls: { paused: '' } })

  expect(decide(paused, noon).wakeAt).toBe(noon + 14 * minute)
})

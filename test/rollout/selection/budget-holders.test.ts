import { expect, test } from 'vitest'
import { assess, decide } from '../../../src/rollout/decide.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { condition } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, NodeDraft, nodes } from '../builders/nodes.ts'
import { aPod } from '../builders/pods.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { kept } from '../drain/upgrade.ts'

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
    `wait for the budget; used up by "a" (cordoned by somebody else; run: kubectl uncordon a): ${remedy}`,
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
    `wait for the budget; used up by "a" (cordoned by somebody else; run: kubectl uncordon a) and 1 more: ${remedy}`,
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

const assigned = { at: noon - 15 * minute }
const draining = aNode('a')
  .on('old')
  .drainedFor('new', { at: noon - minute })
const pods = (refusal?: ReturnType<typeof kept>) => ({ a: [aPod('x', refusal && { refusal })] })

type Case = readonly [what: string, node: NodeDraft, options: PoolOptions]

const holdersOf = (node: NodeDraft, options: PoolOptions) =>
  assess(poolOf(node, { disruption: 'drain', ...options }), noon).holders

test.each<Case>([
  ['is not Ready', aNode('a').on('old').notReady(), {}],
  ['was cordoned by somebody else', aNode('a').on('old').cordoned(), {}],
  ['is drained since this instant', draining, { pods: pods(), drain: { timeout: minute } }],
  ['has a pod that two budgets protect', draining, { pods: pods(kept(noon, 'shop', 'all')) }],
  ['is to be uncordoned once it is Ready', aNode('a').on('new').drainedFor('new').notReady(), {}],
  ['could not be restored', aNode('a').assignedTo('new').reporting('Failed'), {}],
  ['is being proved and not Ready', aNode('a').on('new').noting('Wanted').notReady(), { proof: {} }],
  [
    'has worked as long as it may for content that is not wanted any more',
    aNode('a').on('old').assignedTo('new', assigned),
    { head: 'newer', since: noon },
  ],
  ['has worked as long as it may', aNode('a').assignedTo('new', assigned), {}],
])('a node is named as one that uses up the budget when it %s', (_, node, options) => {
  expect(holdersOf(node, options)).toEqual(['a'])
})

test.each<Case>([
  ['is available', aNode('a').on('old'), {}],
  ['is drained', draining, { pods: pods() }],
  ['was drained until a moment ago', draining, { pods: pods(), drain: { timeout: minute + 1 } }],
  ['has a pod that one budget protects', draining, { pods: pods(kept(noon, 'shop')) }],
  ['has been drained for too long and is left out', draining, { pods: pods(), drain: { timeout: minute, onTimeout: 'Skip' } }],
  ['is empty', draining, { pods: { a: [] } }],
  ['is to be uncordoned', aNode('a').on('new').drainedFor('new'), {}],
  ['is being proved', aNode('a').on('new').noting('Wanted'), { proof: {} }],
  [
    'works for another millisecond for content that is not wanted any more',
    aNode('a')
      .on('old')
      .assignedTo('new', { at: noon - 15 * minute + 1 }),
    { head: 'newer', since: noon },
  ],
  ['works for another millisecond', aNode('a').assignedTo('new', { at: noon - 15 * minute + 1 }), {}],
])('a node is not named as one that uses up the budget when it %s', (_, node, options) => {
  expect(holdersOf(node, options)).toEqual([])
})

const staleSince = (at: number): NodeDraft => new NodeDraft({ ...aNode('a').on('new', { at, since: at }), staleReady: true })

test('the next node waits for one whose kubelet has not reported since its change restarted it, and which is named once that is late', () => {
  expect(decide(poolOf(staleSince(noon - minute)), noon).actions.filter(({ kind }) => kind === 'assign')).toEqual([])
  expect(told(poolOf(staleSince(noon - minute)))).not.toContain('used up')
  expect(told(poolOf(staleSince(noon - 40 * minute)))).toContain('used up by "a" (node is Ready by a heartbeat from before')
})

import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { assignments, remembering, selected } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, aYoungNode, type NodeDraft } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'

/** The pool is on its way back from `newer`, which it completed last, to `older`. */
const reverting: PoolOptions = {
  head: 'older',
  stable: 'newer',
  waves: [aWave('canary', 1, { soak: 10 * minute })],
  maxUnavailable: 3,
  history: [
    aRollout('older', { startedAt: noon - 5 * minute }),
    { ...aRollout('newer', { result: 'Completed', startedAt: noon - hour }), abandoned: true },
    aRollout('older', { result: 'Completed', startedAt: noon - 3 * hour }),
  ],
}
const back = ['a', 'b'].map((name) => aNode(name).on('older', { at: noon - 4 * minute }))
const left = aNode('c').on('newer', { at: noon - 50 * minute })

test('a commit that a revert under way goes back from comes wave by wave when it is pushed again', () => {
  const { status } = decide(aPool({ ...reverting, head: 'newer' }).with(...back, left), noon)

  expect(status.wave).toMatchObject({ name: 'canary', count: 2 })
})

test('a commit that a rollback under way goes back from comes wave by wave after a resume', () => {
  const completed = (reverting.history ?? []).slice(1).map(({ abandoned: _, ...run }) => run)
  const began = aPool({ ...reverting, head: 'newer', history: completed, controls: { rollback: 'older' } }).with(...back, left)
  const rolling = decide(began, noon)
  const resumed = decide({ ...remembering(began, rolling), controls: {} }, noon + minute)

  expect(rolling.status.wave).toMatchObject({ name: 'all' })
  expect(resumed.status.wave).toMatchObject({ name: 'canary', count: 2 })
})

/** It ran what the revert leaves, and runs that again. */
const lost = (name: string) =>
  aNode(name)
    .on('newer', { at: noon - hour })
    .rolledBackFrom('older', { to: 'newer' })

test('a pool whose revert fails stops where it is and does not return to what the revert left when its policy rolls back', () => {
  const pool = aPool({ ...reverting, maxUnavailable: 1, onFailure: 'Rollback' })
  const decision = decide(pool.with(lost('a'), ...back.slice(1), lost('c')), noon)

  expect(assignments(decision)).toEqual([])
  expect(decision.status).toMatchObject({
    target: { revision: 'older' },
    rejected: [{ revision: 'older' }],
    history: [{ revision: 'older', result: 'Halted' }, { revision: 'newer', abandoned: true }, {}],
  })
})

test('a revert bears as many failures as may be unavailable', () => {
  const { status } = decide(aPool({ ...reverting, maxUnavailable: 1 }).with(lost('a'), ...back.slice(1), left), noon)

  expect(status).toMatchObject({ target: { revision: 'older' }, rejected: [] })
})

/** Pushed again while half of the nodes are back. */
const again: PoolOptions = { ...reverting, head: 'newer' }
const halfWay = ['n0', 'n2', 'n4', 'n6'].map((name) => aNode(name).on('older', { at: noon - 4 * minute }))
const notYet = ['n1', 'n3', 'n5', 'n7'].map((name) => aNode(name).on('newer', { at: noon - 50 * minute }))

test('a commit that is pushed again is tried on a node that had gone back from it', () => {
  const decision = decide(aPool(again).with(...halfWay, ...notYet), noon)

  expect(decision.status.wave).toMatchObject({ name: 'canary' })
  expect(assignments(decision)).toEqual([expect.stringMatching(/^n[0246] → newer$/)])
})

test('a commit that is pushed again is rejected when more nodes than maxFailures fail, however many may be unavailable', () => {
  const begun = aPool({ ...again, waves: [aWave('canary', 3)] }).with(...halfWay, ...notYet)
  const { status } = decide(begun, noon)
  const [lost, ...others] = begun.nodes.filter(({ assigned }) => assigned?.digest === 'older') as NodeDraft[]
  const failed = lost?.rolledBackFrom('newer', { at: noon, to: 'older' }) as NodeDraft
  const tried = others.map((node) => node.on('newer', { at: noon }))
  const later = decide({ ...begun, nodes: [failed, ...tried, ...notYet], memory: status }, noon + minute)

  expect(later.status.rejected).toMatchObject([{ revision: 'newer' }])
})

/** `next` is pushed while half of the nodes are back at `older`. */
function pushedOnTheWay(...more: NodeDraft[]) {
  const members = [...halfWay, ...notYet, ...more]
  const before = decide(aPool(reverting).with(...members), noon)
  return { ...aPool({ ...reverting, head: 'next' }).with(...members), memory: before.status }
}

/** The canary of a commit that begins is put back. */
function failingAt(pool: PoolSnapshot, commit: string) {
  const begun = decide(pool, noon + minute)
  const canary = selected(begun)[0]
  const members = pool.nodes.map((node) =>
    node.name === canary ? (node as NodeDraft).rolledBackFrom(commit, { at: noon + minute, to: 'older' }) : node,
  )
  return { canary, status: decide({ ...remembering(pool, begun), nodes: members }, noon + 2 * minute).status }
}

test('a pool goes back to what a revert under way was leading to when the commit that came meanwhile fails', () => {
  const pool = pushedOnTheWay()
  const { canary, status } = failingAt(pool, 'next')

  expect(canary).toMatch(/^n\d$/)
  expect(status).toMatchObject({ target: { revision: 'older' }, rejected: [{ revision: 'next' }] })
})

test('a young node gets what a revert under way was leading to when another commit has come meanwhile', () => {
  expect(assignments(decide(pushedOnTheWay(aYoungNode('y').notReady(noon)), noon + minute))).toContain('y → older')
})

test('a pool goes back to what a revert under way was leading to when the commit that it leaves is pushed again and fails', () => {
  const pool = { ...aPool(again).with(...halfWay, ...notYet), memory: pushedOnTheWay().memory }
  const { status } = failingAt(pool, 'newer')

  expect(status).toMatchObject({ target: { revision: 'older' }, rejected: [{ revision: 'newer' }] })
})

test('a young node gets what a revert under way leads to', () => {
  expect(assignments(decide(aPool(reverting).with(aYoungNode('y'), ...back, left), noon)).sort()).toEqual([
    'c → older',
    'y → older',
  ])
})

test.each([
  ['rollback', 'newer', 'older'],
  ['revert', 'older', undefined],
])('a %s completes when a machine was replaced on the way, and all others are back', (_, head, rollback) => {
  const completed = (reverting.history ?? []).slice(1).map(({ abandoned: _, ...run }) => run)
  const pool = aPool({ ...reverting, head, history: completed, controls: rollback === undefined ? {} : { rollback } })
  const others = ['b', 'c'].map((name) => aNode(name).on('older', { at: noon, since: noon }))
  const hanging = aNode('a')
    .on('newer', { at: noon - hour })
    .assignedTo('older', { at: noon })
    .notReady(noon + 1000)
  let memory = decide(pool.with(aNode('a').on('newer', { at: noon - hour }), ...others), noon).status
  for (const [index, members] of [[hanging, ...others], others].entries())
    memory = decide({ ...pool.with(...members), memory }, noon + (2 + index) * minute).status

  expect(memory).toMatchObject({ rejected: [], history: [{ revision: 'older', result: 'Completed' }, {}, {}] })
})

/** The revert has failed, and the pool stands. */
const [failed = aRollout('older'), ...before] = reverting.history ?? []
const halted: PoolOptions = { ...reverting, history: [{ ...failed, result: 'Halted' }, ...before], rejected: ['older'] }

test('a node that a failed revert left down is repaired with what the revert left while the next commit waits for another pool', () => {
  const fleet = { awaited: [{ pool: 'base', failed: false }] }
  const down = lost('a').notReady(noon - minute)

  expect(assignments(decide(aPool({ ...halted, head: 'next', fleet, onFailure: 'Halt' }).with(down, left), noon))).toEqual([
    'a → newer',
  ])
})

test('a node that a revert left down, again after a retry, is repaired with what the revert left while the next commit waits for another pool', () => {
  const options: PoolOptions = { ...halted, onFailure: 'Halt', maxUnavailable: 1 }
  const failing = ['a', 'b'].map((name) => lost(name).notReady(noon - minute))
  const retried = decide(aPool({ ...options, controls: { retry: 'older' } }).with(...failing, left), noon).status
  const again = ['a', 'b'].map((name) => lost(name).rolledBackFrom('older', { at: noon, to: 'newer' }))
  const { status } = decide({ ...aPool(options).with(...again, left), memory: retried }, noon + minute)
  const fleet = { awaited: [{ pool: 'base', failed: false }] }
  const down = again.map((node) => node.notReady(noon + minute))
  const waiting = { ...aPool({ ...options, head: 'next', fleet }).with(...down, left), memory: status }

  expect(status).toMatchObject({
    rejected: [{ revision: 'older' }],
    history: [{ result: 'Halted' }, { result: 'Halted' }, {}, {}],
  })
  expect(assignments(decide(waiting, noon + 2 * minute)).sort()).toEqual(['a → newer', 'b → newer'])
})

test('a pool whose rollback failed stays halted when a commit with the content of that rollback is pushed', () => {
  const pool = aPool({ ...halted, commit: 'revert' }).with(...back, left)
  const [to, from] = ['older', 'newer'].map((name) => ({ revision: name, fingerprint: `of ${name}` }))
  const rollback = { to: to as NonNullable<typeof to>, from: from as NonNullable<typeof from>, at: '2026-11-21T11:55:00.000Z' }
  const decision = decide({ ...pool, memory: { ...pool.memory, rollback } }, noon)

  expect(assignments(decision)).toEqual([])
  expect(decision.status).toMatchObject({ target: { fingerprint: 'of older' }, conditions: [{ reason: 'Halted' }, {}, {}] })
})

test('content that a pool goes back from has still to prove itself again when nine tries to go back have failed', () => {
  const tries = Array.from({ length: 9 }, (_, index) =>
    aRollout('older', { result: 'Halted', startedAt: noon - (index + 5) * minute }),
  )
  const pool = aPool({ ...reverting, history: [...tries, ...before.slice(0, 1)] }).with(...back, left)
  const retried = decide(pool, noon)
  const pushed = decide(remembering(aPool({ ...reverting, head: 'newer' }).with(...back, left), retried), noon + minute)

  expect(retried.status.history.map(({ result }) => result)).toEqual(['Running', ...Array(8).fill('Halted'), 'Completed'])
  expect(pushed.status.wave).toMatchObject({ name: 'canary', count: 2 })
})
